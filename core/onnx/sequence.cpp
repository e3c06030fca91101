// Operators on sequences. A sequence of which all elements are known is the list of them: what
// reads an element reads that. The operator that makes it stays as an opaque node as long as
// something needs the sequence itself.
#include "core/onnx/converter.h"
#include "core/onnx/node_attributes.h"
#include "core/onnx/refusals.h"
#include "core/ops/opaque.h"
#include "core/support/ceil_div.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <algorithm>
#include <array>

namespace loopglass::onnx {

namespace {

using graph::ValueId;
using ::onnx::NodeProto;

constexpr std::array makers = {"SequenceConstruct", "SequenceEmpty", "SequenceInsert",
                               "SequenceErase", "SplitToSequence"};
constexpr std::array readers = {"SequenceAt", "SequenceLength", "ConcatFromSequence"};

constexpr std::int64_t most_elements = 2'000;

Result<void> check_sequence_length(std::int64_t count) {
  if (count <= most_elements) return {};
  return fail(Code::OperatorUnsupported,
              fmt::format("a sequence of more than {} elements", most_elements));
}

// The last one may be shorter.
Result<std::vector<std::int64_t>> equal_pieces(std::int64_t extent, std::int64_t length) {
  if (length <= 0) return misused(fmt::format("pieces of {} elements", length));
  TRY_VOID(check_sequence_length(ceil_div(extent, length)));
  std::vector<std::int64_t> lengths;
  for (std::int64_t begin = 0; begin < extent; begin += length)
    lengths.push_back(std::min(length, extent - begin));
  return lengths;
}

// One number: of each; else of each its own.
Result<std::vector<std::int64_t>> piece_lengths(const Tensor& split, std::int64_t extent) {
  if (is_float(split.data_type()) || split.shape().size() > 1)
    return misused(fmt::format("how it is split is {}", to_string(split.type())));
  if (split.shape().empty()) return equal_pieces(extent, split.integer_at(0));
  TRY_VOID(check_sequence_length(split.elements()));
  std::int64_t rest = extent;
  for (const std::int64_t length : split.to_integers()) {
    if (length < 0 || length > rest)
      return misused(fmt::format("a piece of {}, where {} are left", length, rest));
    rest -= length;
  }
  if (rest != 0) return misused(fmt::format("{} elements are in no piece", rest));
  return split.to_integers();
}

std::int64_t integer(const NodeProto& node, std::string_view name, std::int64_t otherwise) {
  const auto* attribute = find_attribute(node, name);
  return attribute == nullptr ? otherwise : attribute->i();
}

}  // namespace

bool Converter::makes_known_sequence(const graph::Node& node) const {
  return !node.outputs.empty() && sequences_.contains(node.outputs.front());
}

bool Converter::is_about_sequences(const NodeProto& node,
                                   const std::vector<ValueId>& inputs) const {
  const std::string& op = node.op_type();
  return std::find(makers.begin(), makers.end(), op) != makers.end() ||
         std::find(readers.begin(), readers.end(), op) != readers.end() ||
         (op == "Identity" && inputs.size() == 1 && sequences_.contains(inputs[0]));
}

Result<const std::vector<ValueId>*> Converter::sequence(const std::vector<ValueId>& inputs) const {
  if (inputs.empty() || !inputs[0]) return misused("its sequence is left out");
  if (const auto found = sequences_.find(inputs[0]); found != sequences_.end())
    return &found->second;
  TRY_VOID(check_operands({inputs[0]}));
  return misused(fmt::format("'{}' is no sequence", builder_.value(inputs[0]).name));
}

Result<std::ptrdiff_t> Converter::place_in_sequence(const std::vector<ValueId>& inputs,
                                                    std::size_t index, std::int64_t count,
                                                    std::int64_t last) {
  std::int64_t place = last;
  if (index < inputs.size() && inputs[index]) {
    const Tensor constant = TRY(constant_input(index, "the place in the sequence", inputs));
    if (constant.elements() != 1 || is_float(constant.data_type()))
      return misused(fmt::format("the place is {}", to_string(constant.type())));
    place = constant.integer_at(0);
  }
  if (place < -count || place > last || last < 0)
    return misused(fmt::format("place {} in a sequence of {}", place, count));
  return static_cast<std::ptrdiff_t>(place < 0 ? place + count : place);
}

Result<void> Converter::convert_sequence(const NodeProto& node, int opset,
                                         const std::vector<ValueId>& inputs, Scope& scope) {
  const std::string& op = node.op_type();
  TRY_VOID(check_few_bits(nullptr, inputs));
  if (op == "SequenceAt") {
    const auto& elements = *TRY(sequence(inputs));
    const std::int64_t count = std::ssize(elements);
    const std::ptrdiff_t place = TRY(place_in_sequence(inputs, 1, count, count - 1));
    return give_result(elements[static_cast<std::size_t>(place)], node_name(node, scope), node, 0,
                       scope);
  }
  if (op == "SequenceLength")
    return define(
        node.output(0),
        builder_.add_constant(value_name(node.output(0), scope),
                              Tensor::of<std::int64_t>({}, {std::ssize(*TRY(sequence(inputs)))})),
        scope);
  if (op == "ConcatFromSequence") return join_sequence(node, inputs, scope);
  if (op == "Identity") return define(node.output(0), inputs[0], scope);
  std::vector<ValueId> elements = TRY(made_sequence(node, inputs, scope));
  TRY_VOID(convert_opaque(node, "", opset, inputs,
                          {Code::ValueKindUnsupported,
                           "a sequence is no value here; what reads its elements is computed",
                           {},
                           {}},
                          scope));
  sequences_.emplace(*find(node.output(0), scope), std::move(elements));
  return {};
}

Result<std::vector<ValueId>> Converter::made_sequence(const NodeProto& node,
                                                      const std::vector<ValueId>& inputs,
                                                      Scope& scope) {
  const std::string& op = node.op_type();
  if (op == "SequenceEmpty") return std::vector<ValueId>{};
  if (op == "SplitToSequence") return split_to_sequence(node, inputs, scope);
  if (op == "SequenceConstruct") {
    TRY_VOID(check_operands(inputs));
    return inputs;
  }
  std::vector<ValueId> elements = *TRY(sequence(inputs));
  const std::int64_t count = std::ssize(elements);
  if (op == "SequenceErase") {
    elements.erase(elements.begin() + TRY(place_in_sequence(inputs, 1, count, count - 1)));
    return elements;
  }
  if (inputs.size() < 2 || !inputs[1]) return misused("the element to insert is left out");
  TRY_VOID(check_operands({inputs[1]}));
  TRY_VOID(check_sequence_length(count + 1));
  elements.insert(elements.begin() + TRY(place_in_sequence(inputs, 2, count, count)), inputs[1]);
  return elements;
}

// Into pieces of one element where nothing else is said, then perhaps without the axis.
Result<std::vector<ValueId>> Converter::split_to_sequence(const NodeProto& node,
                                                          const std::vector<ValueId>& inputs,
                                                          Scope& scope) {
  TRY_VOID(check_operands(inputs));
  if (inputs.empty() || !inputs[0]) return misused("what it splits is left out");
  const Shape shape = builder_.value(inputs[0]).type.shape;
  const std::int64_t axis = TRY(axis_of(integer(node, "axis", 0), shape.size())),
                     extent = shape[static_cast<std::size_t>(axis)];
  const bool is_split = inputs.size() > 1 && inputs[1];
  std::vector<std::int64_t> lengths;
  if (is_split) {
    const Tensor split = TRY(constant_input(1, "how it is split", inputs));
    lengths = TRY(piece_lengths(split, extent));
  } else {
    lengths = TRY(equal_pieces(extent, 1));
  }
  const std::string name = node_name(node, scope) + "/element";
  const bool keeps_axis = is_split || integer(node, "keepdims", 1) != 0;
  std::vector<ValueId> elements;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    elements.push_back(keeps_axis ? TRY(slice(name, inputs[0], axis, begin, begin + length, scope))
                                  : TRY(element_along(name, inputs[0], axis, begin, scope)));
    begin += length;
  }
  return elements;
}

Result<void> Converter::join_sequence(const NodeProto& node, const std::vector<ValueId>& inputs,
                                      Scope& scope) {
  const auto& elements = *TRY(sequence(inputs));
  if (elements.empty()) return misused("an empty sequence has nothing to join");
  TRY_VOID(check_few_bits(nullptr, elements));
  const std::string name = node_name(node, scope);
  const std::int64_t axis = integer(node, "axis", 0);
  const std::size_t rank = builder_.value(elements.front()).type.shape.size();
  const ValueId result = integer(node, "new_axis", 0) != 0
                             ? TRY(stacked(name, elements, axis, scope))
                             : TRY(joined(name, elements, TRY(axis_of(axis, rank)), scope));
  return give_result(result, name, node, 0, scope);
}

void Converter::remove_unread_sequences() {
  for (std::uint32_t id = builder_.next_node().value; id > 0; --id)
    if (const graph::Node* node = builder_.find(graph::NodeId{id - 1});
        node != nullptr && is_opaque(*node) && makes_known_sequence(*node) &&
        !builder_.is_used(node->outputs.front()))
      builder_.remove_node(node->id);
}

}  // namespace loopglass::onnx
