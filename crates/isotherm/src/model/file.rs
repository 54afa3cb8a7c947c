//! `model.safetensors`: other programs rely on `W` [visible, hidden], `b` (hidden) and `c` (visible),
//! in `f32`; the averaged parameters are beside them under `averaged.`, and what the ladder started from under `reference.`,
//! if that was fitted to the data. Files that other programs made
//! may hold other floating-point numbers.

use isotherm_kernels::Matrix;
use serde_json::json;

use super::error::ModelError;
use super::{Parameters, Rbm};
use crate::error::Result;
use crate::references::{Distribution, Reference};
use crate::tensors::Bundle;

/// The most tensors that a message lists.
const LISTED: usize = 8;

/// What a model file holds.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The model.
    pub model: Rbm,
    /// The model with its averaged parameters, if the file has them.
    pub averaged: Option<Rbm>,
    /// What the ladder of its training started from, as far as the file tells.
    pub reference: Distribution,
}

/// The contents of a model file.
pub fn model_bundle(
    model: &Parameters,
    averaged: &Parameters,
    reference: &Reference,
) -> Result<Bundle> {
    let mut bundle = Bundle::new(json!({ "kind": "model" }));
    model.insert_into(&mut bundle, "")?;
    averaged.insert_into(&mut bundle, "averaged.")?;
    reference.insert_distribution(&mut bundle)?;
    Ok(bundle)
}

/// The model in a model file or in a checkpoint; of a checkpoint the best one, if it holds one.
pub fn model_in(bundle: &Bundle) -> Result<ModelFile> {
    let is_missing = |name: &&&str| !bundle.tensors.contains_key(**name);
    if let Some(name) = ["W", "b", "c"].iter().find(is_missing) {
        let present = bundle.tensors.keys().take(LISTED).cloned().collect();
        return Err(ModelError::Missing { name, present }.into());
    }
    let shape = bundle.tensor("W")?.shape();
    let &[n_visible, n_hidden] = shape else {
        return Err(ModelError::NotAMatrix { shape: shape.to_vec() }.into());
    };
    let shape = [n_visible, n_hidden];
    if shape.contains(&0) {
        return Err(ModelError::NoUnits { shape }.into());
    }
    let (b, c) = (bundle.tensor("b")?.shape(), bundle.tensor("c")?.shape());
    if n_visible != n_hidden && (b, c) == (&[n_visible], &[n_hidden]) {
        return Err(ModelError::Transposed { shape }.into());
    }
    let load = |prefix: &str| -> Result<Rbm> {
        let parameters = Parameters::take_from(bundle, prefix, n_visible, n_hidden)?;
        let Parameters { w, b, c } = &parameters;
        let tensors = [("W", w), ("b", b), ("c", c)];
        let is_finite = |it: &Matrix| it.to_dense().iter().all(|x| x.is_finite());
        if let Some((name, _)) = tensors.into_iter().find(|(_, it)| !is_finite(it)) {
            return Err(ModelError::NotFinite { name: format!("{prefix}{name}") }.into());
        }
        Ok(Rbm::new(parameters))
    };
    let has = |name: &str| bundle.tensors.contains_key(name);
    let (model, averaged) = match has("best.W") {
        true => ("best.", "best.averaged."),
        false => ("", "averaged."),
    };
    let averaged = if has(&format!("{averaged}W")) { Some(load(averaged)?) } else { None };
    let (reference, _) = Reference::distribution_in(bundle, n_visible)?;
    Ok(ModelFile { model: load(model)?, averaged, reference })
}

impl Parameters {
    /// Adds the tensors `W`, `b` and `c`, their names prefixed.
    pub fn insert_into(&self, bundle: &mut Bundle, prefix: &str) -> Result<()> {
        let (n_visible, n_hidden) = (self.n_visible(), self.n_hidden());
        bundle.insert(&format!("{prefix}W"), &[n_visible, n_hidden], &self.w.to_dense())?;
        bundle.insert(&format!("{prefix}b"), &[n_hidden], self.b.row(0))?;
        bundle.insert(&format!("{prefix}c"), &[n_visible], self.c.row(0))
    }

    /// The parameters in the tensors `W`, `b` and `c`, their names prefixed.
    pub fn take_from(
        bundle: &Bundle,
        prefix: &str,
        n_visible: usize,
        n_hidden: usize,
    ) -> Result<Parameters> {
        let w = bundle.get_as_f32(&format!("{prefix}W"), &[n_visible, n_hidden])?;
        let b = bundle.get_as_f32(&format!("{prefix}b"), &[n_hidden])?;
        let c = bundle.get_as_f32(&format!("{prefix}c"), &[n_visible])?;
        Ok(Parameters {
            w: Matrix::from_dense(n_visible, n_hidden, &w),
            b: Matrix::from_row(&b),
            c: Matrix::from_row(&c),
        })
    }
}
