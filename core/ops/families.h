// The lists of operators, one function a file. The registry strings them together; nothing else
// calls them.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

std::vector<OpDef> elementwise();  // one input: math, trigonometry, casts, Clip, Where
std::vector<OpDef> arithmetic();   // two and more inputs: Add ... Mod, Pow, BitShift, Sum, Max
std::vector<OpDef> comparison();   // comparisons and logic
std::vector<OpDef> activation();
std::vector<OpDef> movement();  // whole tensors: Reshape, Transpose, Expand, Tile, ...
std::vector<OpDef> slicing();   // parts of tensors: Concat, Split, Slice, ...
std::vector<OpDef> padding();
std::vector<OpDef> indexing();  // Gather and its kin, OneHot
std::vector<OpDef> scatter();   // ScatterElements, ScatterND
std::vector<OpDef> ranking();   // ArgMax, ArgMin, CumSum
std::vector<OpDef> top_k();     // TopK
std::vector<OpDef> reduction();
std::vector<OpDef> generator();  // Constant, Shape, Range, window functions, ...
std::vector<OpDef> convolution();
std::vector<OpDef> transposed_convolution();  // ConvTranspose
std::vector<OpDef> winograd_operators();      // the two ends of a convolution by minimal filtering
std::vector<OpDef> matrix_product();
std::vector<OpDef> few_bit_products();  // by weights that are widened as they are read
std::vector<OpDef> packed_few_bits();   // the same by rows that are rounded to bytes
std::vector<OpDef> pooling();
std::vector<OpDef> normalisation();
std::vector<OpDef> resize();
std::vector<OpDef> quantisation();
std::vector<OpDef> quantised_products();
std::vector<OpDef> recurrent();
std::vector<OpDef> loss();
std::vector<OpDef> signal();
std::vector<OpDef> layout_forms();   // LayoutTransform, and operators on tensors in other layouts
std::vector<OpDef> written();        // kernels that a person wrote
std::vector<OpDef> opaque_family();  // the one that stands for what is not known
std::vector<OpDef> optimiser();      // the steps of ai.onnx.preview.training

}  // namespace loopglass::ops
