// One function a primitive; each is defined in the file of its name. primitives.cpp lists them.
#pragma once

#include "core/dependence/illegal.h"
#include "core/schedule/primitive.h"

namespace loopglass::schedule {

Primitive split();
Primitive fuse();
Primitive reorder();
Primitive tile();
Primitive loop_partition();
Primitive add_unit_loop();
Primitive parallel();
Primitive vectorize();
Primitive unroll();
Primitive bind();
Primitive compute_at();
Primitive reverse_compute_at();
Primitive compute_root();
Primitive compute_with();
Primitive compute_inline();
Primitive reverse_compute_inline();
Primitive cache_read();
Primitive cache_write();
Primitive set_scope();
Primitive storage_align();
Primitive reindex();
Primitive rolling_buffer();
Primitive decompose_reduction();
Primitive rfactor();
Primitive fuse_epilogue();
Primitive transform_layout();
Primitive split_axis();
Primitive pad_axis();
Primitive pad_einsum();
Primitive decompose_padding();
Primitive skip_padding();
Primitive prefetch();
Primitive blockize();
Primitive tensorize();
Primitive annotate();

// Arguments of the kind the primitive's row says; all_primitives() has checked them.
const std::string& name_at(std::span<const Argument> arguments, std::size_t index);
const std::vector<std::string>& names_at(std::span<const Argument> arguments, std::size_t index);
std::int64_t integer_at(std::span<const Argument> arguments, std::size_t index);
const std::vector<std::int64_t>& integers_at(std::span<const Argument> arguments,
                                             std::size_t index);

}  // namespace loopglass::schedule
