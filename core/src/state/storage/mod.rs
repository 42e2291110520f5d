//! How a tree is packed: nodes, versions of 10 bytes, short lists in arenas, values of up to 22 bytes inline.
//!
//! Nothing here knows how values merge, or what is asked of a tree: that is the rest of `state`.

mod arena;
pub(in crate::state) mod children;
pub(in crate::state) mod identity_order;
pub(in crate::state) mod leaf_value;
pub(in crate::state) mod list_arena;
pub(in crate::state) mod member_order;
pub(in crate::state) mod store;
pub(in crate::state) mod versions;
