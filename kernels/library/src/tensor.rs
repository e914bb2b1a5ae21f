//! Tensors: a dtype, a shape and bytes. Kernels see them as untyped views and match the dtype inside.

use numerics::tensor_core::Format;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dtype {
    F32,
    Bf16,
    Fp16,
    I32,
    U32,
    U64,
    U8,
}

impl Dtype {
    /// Bytes of one element.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U64 => 8,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::Bf16 | Self::Fp16 => 2,
            Self::U8 => 1,
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::U8 => "u8",
        }
    }

    /// Whether tensors of the model may be stored so.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::Bf16 | Self::Fp16)
    }

    /// Half a step of this float dtype, relative to the value, in units of f32's ε. Nothing for f32, whose roundings are
    /// counted one by one.
    #[must_use]
    pub const fn half_step(self) -> f64 {
        match self {
            Self::Bf16 => 32_768.0,
            Self::Fp16 => 4096.0,
            _ => 0.0,
        }
    }

    /// The value as a tensor of this float dtype holds it. f32 keeps everything, also the payload of a NaN.
    #[must_use]
    pub fn rounded(self, value: f32) -> f32 {
        let mut value = [value];
        self.round(&mut value);
        value[0]
    }

    /// Rounds every element, as [`Self::rounded`] does. Inlined, so that it is compiled for the caller's instruction set.
    #[inline(always)]
    pub fn round(self, values: &mut [f32]) {
        match self {
            Self::Bf16 => {
                for value in values {
                    *value = numerics::format::bf16_to_f32(numerics::format::bf16_from_f32(*value));
                }
            }
            Self::Fp16 => {
                for value in values {
                    *value = numerics::format::fp16_to_f32(numerics::format::fp16_from_f32(*value));
                }
            }
            _ => {}
        }
    }

    /// The format that a tensor core multiplies it in, if it does.
    #[must_use]
    pub const fn tensor_core_format(self) -> Option<Format> {
        match self {
            Self::Bf16 => Some(Format::Bf16),
            Self::Fp16 => Some(Format::Fp16),
            _ => None,
        }
    }
}

/// Dtype and shape, row-major.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Spec {
    pub dtype: Dtype,
    pub shape: Vec<usize>,
}

impl Spec {
    #[must_use]
    pub fn new(dtype: Dtype, shape: &[usize]) -> Self {
        Self { dtype, shape: shape.to_vec() }
    }

    #[must_use]
    pub fn f32(shape: &[usize]) -> Self {
        Self::new(Dtype::F32, shape)
    }

    #[must_use]
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    #[must_use]
    pub fn bytes(&self) -> usize {
        self.elements() * self.dtype.bytes()
    }

    /// Shape as the trace stores it.
    #[must_use]
    pub fn dimensions(&self) -> Vec<u64> {
        self.shape.iter().map(|size| *size as u64).collect()
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}", self.dtype.name(), self.shape)
    }
}

/// An owned tensor. Storage is 8-byte aligned, so every dtype can be viewed in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub spec: Spec,
    storage: Vec<u64>,
}

impl Tensor {
    #[must_use]
    pub fn zeros(spec: Spec) -> Self {
        let storage = vec![0; spec.bytes().div_ceil(8)];
        Self { spec, storage }
    }

    /// # Panics
    /// When `values` does not have the elements of `shape`.
    #[must_use]
    pub fn from_f32(shape: &[usize], values: &[f32]) -> Self {
        let mut tensor = Self::zeros(Spec::f32(shape));
        bytemuck::cast_slice_mut::<u8, f32>(tensor.bytes_mut()).copy_from_slice(values);
        tensor
    }

    /// Rounds `values` to the dtype.
    #[must_use]
    pub fn from_f32_as(dtype: Dtype, shape: &[usize], values: &[f32]) -> Self {
        let mut tensor = Self::zeros(Spec::new(dtype, shape));
        tensor.view_mut().into_floats().store(0, values);
        tensor
    }

    /// Little-endian bytes of any dtype.
    ///
    /// # Panics
    /// When `bytes` is not as long as `spec` says.
    #[must_use]
    pub fn from_bytes(spec: Spec, bytes: &[u8]) -> Self {
        let mut tensor = Self::zeros(spec);
        tensor.bytes_mut().copy_from_slice(bytes);
        tensor
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.storage)[..self.spec.bytes()]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let bytes = self.spec.bytes();
        &mut bytemuck::cast_slice_mut(&mut self.storage)[..bytes]
    }

    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { spec: &self.spec, bytes: self.bytes() }
    }

    pub fn view_mut(&mut self) -> ViewMut<'_> {
        let bytes = self.spec.bytes();
        ViewMut { spec: &self.spec, bytes: &mut bytemuck::cast_slice_mut(&mut self.storage)[..bytes] }
    }

    /// Values widened to f32. Only for floats.
    #[must_use]
    pub fn to_f32(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.spec.elements()];
        self.view().floats().load(0, &mut values);
        values
    }
}

/// A tensor that a kernel reads.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub spec: &'a Spec,
    pub bytes: &'a [u8],
}

impl<'a> View<'a> {
    /// Elements of a tensor of dtype `T`'s size; the plan guarantees the dtype.
    ///
    /// # Panics
    /// When the bytes are not a whole number of aligned elements.
    #[must_use]
    pub fn typed<T: bytemuck::Pod>(&self) -> &'a [T] {
        debug_assert_eq!(size_of::<T>(), self.spec.dtype.bytes(), "{} read as another dtype", self.spec);
        bytemuck::cast_slice(self.bytes)
    }

    #[must_use]
    pub fn f32(&self) -> &'a [f32] {
        assert_eq!(self.spec.dtype, Dtype::F32, "the plan gives f32 here");
        bytemuck::cast_slice(self.bytes)
    }

    #[must_use]
    pub fn floats(&self) -> Floats<'a> {
        match self.spec.dtype {
            Dtype::F32 => Floats::F32(bytemuck::cast_slice(self.bytes)),
            Dtype::Bf16 => Floats::Bf16(bytemuck::cast_slice(self.bytes)),
            Dtype::Fp16 => Floats::Fp16(bytemuck::cast_slice(self.bytes)),
            other => unreachable!("the plan gives a float here, not {}", other.name()),
        }
    }

    #[must_use]
    pub fn shape(&self) -> &'a [usize] {
        &self.spec.shape
    }
}

/// A tensor that a kernel writes.
#[derive(Debug)]
pub struct ViewMut<'a> {
    pub spec: &'a Spec,
    pub bytes: &'a mut [u8],
}

impl<'a> ViewMut<'a> {
    /// The same storage for a shorter time.
    pub fn reborrow(&mut self) -> ViewMut<'_> {
        ViewMut { spec: self.spec, bytes: self.bytes }
    }

    #[must_use]
    pub fn into_typed<T: bytemuck::Pod>(self) -> &'a mut [T] {
        debug_assert_eq!(size_of::<T>(), self.spec.dtype.bytes(), "{} written as another dtype", self.spec);
        bytemuck::cast_slice_mut(self.bytes)
    }

    #[must_use]
    pub fn into_floats(self) -> FloatsMut<'a> {
        match self.spec.dtype {
            Dtype::F32 => FloatsMut::F32(bytemuck::cast_slice_mut(self.bytes)),
            Dtype::Bf16 => FloatsMut::Bf16(bytemuck::cast_slice_mut(self.bytes)),
            Dtype::Fp16 => FloatsMut::Fp16(bytemuck::cast_slice_mut(self.bytes)),
            other => unreachable!("the plan gives a float here, not {}", other.name()),
        }
    }
}

/// Float elements to read, widened to f32 on the way: exact for every dtype.
#[derive(Clone, Copy, Debug)]
pub enum Floats<'a> {
    F32(&'a [f32]),
    Bf16(&'a [u16]),
    Fp16(&'a [u16]),
}

impl Floats<'_> {
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::Bf16(values) | Self::Fp16(values) => values.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    #[must_use]
    pub fn get(&self, index: usize) -> f32 {
        match self {
            Self::F32(values) => values[index],
            Self::Bf16(values) => numerics::format::bf16_to_f32(values[index]),
            Self::Fp16(values) => numerics::format::fp16_to_f32(values[index]),
        }
    }

    /// Copies `into.len()` elements from `start`. Inlined, so that it is compiled for the caller's instruction set.
    #[inline(always)]
    pub fn load(&self, start: usize, into: &mut [f32]) {
        match self {
            Self::F32(values) => into.copy_from_slice(&values[start..start + into.len()]),
            Self::Bf16(values) => numerics::format::bf16_load(&values[start..start + into.len()], into),
            Self::Fp16(values) => numerics::format::fp16_load(&values[start..start + into.len()], into),
        }
    }
}

/// Float elements to write: rounded to the dtype, NaN made canonical.
#[derive(Debug)]
pub enum FloatsMut<'a> {
    F32(&'a mut [f32]),
    Bf16(&'a mut [u16]),
    Fp16(&'a mut [u16]),
}

impl<'a> FloatsMut<'a> {
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::Bf16(values) | Self::Fp16(values) => values.len(),
        }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline(always)]
    pub fn set(&mut self, index: usize, value: f32) {
        match self {
            Self::F32(values) => values[index] = numerics::format::canonical(value),
            Self::Bf16(values) => values[index] = numerics::format::bf16_from_f32(value),
            Self::Fp16(values) => values[index] = numerics::format::fp16_from_f32(value),
        }
    }

    /// Stores `from` at `start`. Inlined, so that it is compiled for the caller's instruction set.
    #[inline(always)]
    pub fn store(&mut self, start: usize, from: &[f32]) {
        match self {
            Self::F32(values) => {
                let into = &mut values[start..start + from.len()];
                into.copy_from_slice(from);
                numerics::format::canonicalise(into);
            }
            Self::Bf16(values) => numerics::format::bf16_store(from, &mut values[start..start + from.len()]),
            Self::Fp16(values) => numerics::format::fp16_store(from, &mut values[start..start + from.len()]),
        }
    }

    /// Splits into consecutive pieces of `length` elements (the last may be shorter), one for each task.
    #[must_use]
    pub fn chunks(self, length: usize) -> Vec<FloatsMut<'a>> {
        let length = length.max(1);
        match self {
            Self::F32(values) => values.chunks_mut(length).map(FloatsMut::F32).collect(),
            Self::Bf16(values) => values.chunks_mut(length).map(FloatsMut::Bf16).collect(),
            Self::Fp16(values) => values.chunks_mut(length).map(FloatsMut::Fp16).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
