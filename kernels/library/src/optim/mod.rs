//! What happens once a step: parameters drawn, gradients measured, clipped and applied, schedules and loss scales.
