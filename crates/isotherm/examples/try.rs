use isotherm::data::Dataset; use isotherm::train::*; use isotherm::likelihood::measure;
fn main(){
  let a: Vec<String> = std::env::args().skip(1).collect();
  let mut t = String::new(); for x in &a { t.push_str(x); t.push('\n'); }
  let c: Config = toml::from_str(&t).unwrap();
  let threads: usize = std::env::var("T").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
  let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
  pool.install(|| {
  let data = Dataset::mixture(c.data_seed);
  let plan = c.check(784).unwrap();
  let mut st = TrainState::new(&plan, &data.marginals());
  let total = plan.total_steps(); let upd = plan.config.updates;
  let mut tr = Trainer::new(plan, data);
  let t0 = std::time::Instant::now();
  for s in 0..total {
    tr.step(&mut st).unwrap();
    if (s+1) % (total/10) == 0 || s+1==upd || s+1==total {
      let el = t0.elapsed().as_secs_f64();
      let ll = measure(&st.model, tr.data(), isotherm::likelihood::Effort::Quick).unwrap();
      let mut avg = st.model.clone(); avg.change(|p| *p = st.averaged.clone());
      let la = measure(&avg, tr.data(), isotherm::likelihood::Effort::Quick).unwrap();
      print!("{:7} {:6.1}us LL {:8.2}±{:.2} avg {:8.2} ", s+1, el*1e6/(s+1) as f64, ll.value, ll.std_error, la.value);
      if let Some(t) = st.negative.tempering() { let f=t.state.flow.f_up_fitted(); let n=f.len()-1;
        let dev = f.iter().enumerate().map(|(i,x)| (x-(1.0-i as f64/n.max(1) as f64)).abs()).fold(0.0,f64::max);
        print!("M {} swap {:.2} trips {} steps/trip {:.0?} fdev {:.2}", n+1, t.state.rates.mean(), t.state.flow.round_trips, t.state.flow.steps_per_round_trip().unwrap_or(f64::NAN), dev); }
      println!();
    }
  }
  if let Some(t)=st.negative.tempering(){ println!("betas {:.3?}\nrates {:.2?}\nfup {:.2?}", t.state.ladder.betas(), t.state.rates.rates(), t.state.flow.f_up_fitted()); }
  });
}
