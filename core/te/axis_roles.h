// What the axes of a program's stages are called in the field, read off how they index tensors.
//
//   convolution   n oc oh ow, over ic kh kw     (blocks of channels: oc_o oc_i)
//   pooling       n c oh ow, over kh kw
//   product       i j, over k; b of batches
//   what reads one of these element by element, or is read by one, goes by its names
//   anything else i j k ..., the reduced ones last
//
// An axis that a person has named is called so.
//
// Names are for people: within a stage they are unique, and nothing goes by them.
#pragma once

#include "core/te/te.h"

namespace loopglass::te {

// For each stage, in order: its axes, then its reduction axes.
std::vector<std::vector<std::string>> axis_roles(const Program& program);

// Whether an axis has only its place for a name, i0 or r1, as Builder (te.h) numbers them.
bool is_numbered(std::string_view axis);

// What a role is, in a sentence: "oh" or "oh_o"; empty for any other word.
std::string role_sentence(std::string_view role);

// Of an axis that has no other name, by its place: i j k ...
std::string lettered_role(std::size_t place);

}  // namespace loopglass::te
