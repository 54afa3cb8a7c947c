//! `model.safetensors`: the contract with other programs is `W` [visible, hidden], `b` (hidden)
//! and `c` (visible), in `f32`; the averaged parameters lie beside them under `averaged.`. Files made
//! elsewhere may hold other floating-point numbers.

use isotherm_kernels::Matrix;
use serde_json::json;

use super::{Parameters, Rbm};
use crate::error::{Error, Result};
use crate::tensors::Bundle;

/// Tensors that a message lists.
const LISTED: usize = 8;

/// What a model file holds.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The model.
    pub model: Rbm,
    /// The model at its averaged parameters, where the file has them.
    pub averaged: Option<Rbm>,
}

/// The contents of a model file.
pub fn model_bundle(model: &Parameters, averaged: &Parameters) -> Result<Bundle> {
    let mut bundle = Bundle::new(json!({ "kind": "model" }));
    model.insert_into(&mut bundle, "")?;
    averaged.insert_into(&mut bundle, "averaged.")?;
    Ok(bundle)
}

/// The model in a bundle, be it a model file or a checkpoint; of the latter the best one, where one is
/// kept.
pub fn model_in(bundle: &Bundle) -> Result<ModelFile> {
    if let Some(missing) = ["W", "b", "c"].iter().find(|it| !bundle.tensors.contains_key(**it)) {
        let mut names: Vec<&str> = bundle.tensors.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.truncate(LISTED);
        return Err(Error::corrupt(format!(
            "tensor `{missing}` is missing, there are {}; a model has `W` [visible, hidden], `b` (hidden) and \
             `c` (visible)",
            if names.is_empty() { "none".to_owned() } else { format!("`{}`", names.join("`, `")) }
        )));
    }
    let shape = bundle.tensor("W")?.shape();
    let &[n_visible, n_hidden] = shape else {
        return Err(Error::corrupt(format!(
            "tensor `W` has shape {shape:?} instead of [visible, hidden]"
        )));
    };
    if n_visible == 0 || n_hidden == 0 {
        return Err(Error::corrupt(format!(
            "tensor `W` has shape [{n_visible}, {n_hidden}]: a model needs visible and hidden units"
        )));
    }
    let (b, c) = (bundle.tensor("b")?.shape(), bundle.tensor("c")?.shape());
    if n_visible != n_hidden && (b, c) == (&[n_visible], &[n_hidden]) {
        return Err(Error::corrupt(format!(
            "tensor `W` is transposed: its shape is [{n_visible}, {n_hidden}], but there are \
             {n_hidden} visible biases in `c` and {n_visible} hidden ones in `b`; save it as \
             [visible, hidden]"
        )));
    }
    let load = |prefix: &str| {
        let parameters = Parameters::take_from(bundle, prefix, n_visible, n_hidden)?;
        let Parameters { w, b, c } = &parameters;
        let tensors = [("W", w), ("b", b), ("c", c)];
        let odd = |it: &Matrix| !it.to_dense().iter().all(|x| x.is_finite());
        if let Some((name, _)) = tensors.into_iter().find(|(_, it)| odd(it)) {
            return Err(Error::corrupt(format!(
                "tensor `{prefix}{name}` holds values that are not finite; the model has diverged, or the \
                 file is damaged"
            )));
        }
        Ok(Rbm::new(parameters))
    };
    let has = |name: &str| bundle.tensors.contains_key(name);
    let (model, averaged) = match has("best.W") {
        true => ("best.", "best.averaged."),
        false => ("", "averaged."),
    };
    let averaged = if has(&format!("{averaged}W")) { Some(load(averaged)?) } else { None };
    Ok(ModelFile { model: load(model)?, averaged })
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
