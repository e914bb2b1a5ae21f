//! Select: names the variant of every node. Nothing is chosen by a timer, a shape or the machine.

use crate::graph::Template;
use contract::execution::Variants;
use library::registry::Registry;

/// Sets each node's variant: the reference, or the last of the kernel's list.
pub fn select(registry: &Registry, templates: &mut [Template], variants: Variants) {
    for node in templates.iter_mut().flat_map(|template| &mut template.nodes) {
        if let Some(kernel) = registry.kernel(&node.kernel) {
            let chosen = match variants {
                Variants::Reference => kernel.reference(),
                Variants::Fast => kernel.fastest(),
            };
            chosen.name.clone_into(&mut node.variant);
        }
    }
}
