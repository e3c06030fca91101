// What TVM's Relay registers (python/tvm/relay/op/**/_*.py, src/relay/op/**/*.cc), for the
// operators that TVM's ONNX importer makes one operator of; copied from there, not derived.
#pragma once

#include "core/ops/pattern_kind.h"

#include <map>
#include <string>

namespace loopglass::test {

struct Registered {
  const char* relay;  // the operator there
  ops::PatternKind kind;
};

// By the operator's name here. Operators that are not in it become several there, or none.
inline const std::map<std::string, Registered>& relay_registry() {
  using enum ops::PatternKind;
  static const std::map<std::string, Registered> registry{
      // src/relay/op/tensor/unary.cc
      {"Abs", {"abs", Elementwise}},
      {"Acos", {"acos", Elementwise}},
      {"Acosh", {"acosh", Elementwise}},
      {"Asin", {"asin", Elementwise}},
      {"Asinh", {"asinh", Elementwise}},
      {"Atan", {"atan", Elementwise}},
      {"Atanh", {"atanh", Elementwise}},
      {"BitwiseNot", {"bitwise_not", Elementwise}},
      {"Ceil", {"ceil", Elementwise}},
      {"Cos", {"cos", Elementwise}},
      {"Cosh", {"cosh", Elementwise}},
      {"Erf", {"erf", Elementwise}},
      {"Exp", {"exp", Elementwise}},
      {"Floor", {"floor", Elementwise}},
      {"Identity", {"copy", Elementwise}},
      {"IsInf", {"isinf", Elementwise}},
      {"IsNaN", {"isnan", Elementwise}},
      {"Log", {"log", Elementwise}},
      {"Neg", {"negative", Elementwise}},
      {"Not", {"logical_not", Elementwise}},
      {"Round", {"round", Elementwise}},
      {"Sigmoid", {"sigmoid", Elementwise}},
      {"Sign", {"sign", Elementwise}},
      {"Sin", {"sin", Elementwise}},
      {"Sinh", {"sinh", Elementwise}},
      {"Sqrt", {"sqrt", Elementwise}},
      {"Tan", {"tan", Elementwise}},
      {"Tanh", {"tanh", Elementwise}},
      // src/relay/op/tensor/binary.cc
      {"Add", {"add", Broadcast}},
      {"And", {"logical_and", Broadcast}},
      {"BitwiseAnd", {"bitwise_and", Broadcast}},
      {"BitwiseOr", {"bitwise_or", Broadcast}},
      {"BitwiseXor", {"bitwise_xor", Broadcast}},
      {"Div", {"divide", Broadcast}},
      {"Equal", {"equal", Broadcast}},
      {"Greater", {"greater", Broadcast}},
      {"GreaterOrEqual", {"greater_equal", Broadcast}},
      {"Less", {"less", Broadcast}},
      {"LessOrEqual", {"less_equal", Broadcast}},
      {"Mul", {"multiply", Broadcast}},
      {"Or", {"logical_or", Broadcast}},
      {"Pow", {"power", Broadcast}},
      {"Sub", {"subtract", Broadcast}},
      {"Xor", {"logical_xor", Broadcast}},
      // src/relay/op/tensor/reduce.cc
      {"ArgMax", {"argmax", CommReduce}},
      {"ArgMin", {"argmin", CommReduce}},
      {"ReduceMax", {"max", CommReduce}},
      {"ReduceMean", {"mean", CommReduce}},
      {"ReduceMin", {"min", CommReduce}},
      {"ReduceProd", {"prod", CommReduce}},
      {"ReduceSum", {"sum", CommReduce}},
      // src/relay/op/tensor/transform.cc
      {"Cast", {"cast", Elementwise}},
      {"CastLike", {"cast_like", Elementwise}},
      {"Concat", {"concatenate", Injective}},
      {"CumSum", {"cumsum", Opaque}},
      {"DFT", {"dft", Opaque}},
      {"Einsum", {"einsum", Injective}},
      {"Expand", {"broadcast_to", Broadcast}},
      {"Gather", {"take", Injective}},
      {"GatherElements", {"gather", Injective}},
      {"GatherND", {"gather_nd", Injective}},
      {"LayoutTransform", {"layout_transform", Injective}},
      {"OneHot", {"one_hot", OutElementwiseFusable}},
      {"Reshape", {"reshape", Injective}},
      {"ReverseSequence", {"reverse_sequence", Injective}},
      {"STFT", {"stft", Opaque}},
      {"ScatterElements", {"scatter_elements", Opaque}},
      {"ScatterND", {"scatter_nd", Opaque}},
      {"Slice", {"strided_slice", Injective}},
      {"Split", {"split", Injective}},
      {"Squeeze", {"squeeze", Injective}},
      {"Tile", {"tile", Broadcast}},
      {"Transpose", {"transpose", Injective}},
      {"Trilu", {"trilu", Elementwise}},
      {"Unsqueeze", {"expand_dims", Broadcast}},
      {"Where", {"where", Broadcast}},
      // src/relay/op/algorithm
      {"TopK", {"topk", Opaque}},
      // src/relay/op/image
      {"GridSample", {"image.grid_sample", Injective}},
      {"Resize", {"image.resize2d", Injective}},
      // src/relay/op/vision
      {"MaxRoiPool", {"vision.roi_pool", OutElementwiseFusable}},
      {"RoiAlign", {"vision.roi_align", OutElementwiseFusable}},
      // python/tvm/relay/op/nn/_nn.py
      {"AveragePool", {"nn.avg_pool2d", OutElementwiseFusable}},
      // After SimplifyInference: multiply and add, with the parameters expanded to the image.
      {"BatchNormalization", {"multiply, add", Broadcast}},
      {"Conv", {"nn.conv2d", OutElementwiseFusable}},
      // One operator there, from the one end to the other.
      {"WinogradInput",
       {"nn.contrib_conv2d_winograd_without_weight_transform", OutElementwiseFusable}},
      {"WinogradOutput",
       {"nn.contrib_conv2d_winograd_without_weight_transform", OutElementwiseFusable}},
      {"ConvTranspose", {"nn.conv2d_transpose", OutElementwiseFusable}},
      {"DepthToSpace", {"nn.depth_to_space", Injective}},
      {"Flatten", {"nn.batch_flatten", Injective}},
      {"GlobalAveragePool", {"nn.global_avg_pool2d", OutElementwiseFusable}},
      {"GlobalMaxPool", {"nn.global_max_pool2d", OutElementwiseFusable}},
      {"LRN", {"nn.lrn", Opaque}},
      {"LeakyRelu", {"nn.leaky_relu", Elementwise}},
      {"LogSoftmax", {"nn.log_softmax", OutElementwiseFusable}},
      {"MatMul", {"nn.matmul", OutElementwiseFusable}},
      {"MaxPool", {"nn.max_pool2d", OutElementwiseFusable}},
      {"NegativeLogLikelihoodLoss", {"nn.nll_loss", OutElementwiseFusable}},
      {"PRelu", {"nn.prelu", Broadcast}},
      {"Pad", {"nn.pad", Injective}},
      {"Relu", {"nn.relu", Elementwise}},
      {"Softmax", {"nn.softmax", OutElementwiseFusable}},
      {"SpaceToDepth", {"nn.space_to_depth", Injective}}};
  return registry;
}

}  // namespace loopglass::test
