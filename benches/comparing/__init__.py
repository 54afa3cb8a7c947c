"""What `benches/compare` is made of."""
