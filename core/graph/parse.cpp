#include "core/graph/text.h"
#include "core/graph/text_literals.h"
#include "core/ops/opaque.h"
#include "core/ops/registry.h"
#include "core/support/origin_text.h"

#include <fmt/format.h>

namespace loopglass::graph {

namespace {

class Parser {
 public:
  Parser(std::string_view text, const Graph* constants) : cursor_(text), constants_(constants) {}

  Result<Graph> graph() {
    TRY_VOID(cursor_.expect("graph"));
    GraphBuilder builder(TRY(cursor_.quoted()));
    TRY_VOID(cursor_.expect("{"));
    std::vector<ValueId> outputs;
    while (!cursor_.accept("}")) {
      if (cursor_.accept("input")) TRY_VOID(input(builder));
      else if (cursor_.accept("const")) TRY_VOID(constant(builder));
      else if (cursor_.accept("output")) outputs.push_back(TRY(use()));
      else TRY_VOID(node(builder));
    }
    if (!cursor_.at_end()) return cursor_.error("expected the end of the text");
    builder.set_outputs(std::move(outputs));
    return std::move(builder).finish();
  }

 private:
  Result<void> define(const std::string& name, ValueId id) {
    if (!values_.emplace(name, id).second)
      return cursor_.error(fmt::format("'{}' is defined twice", name));
    return {};
  }

  Result<ValueId> use() {
    const std::string name = TRY(parse_value_name(cursor_));
    const auto found = values_.find(name);
    if (found == values_.end())
      return cursor_.error(fmt::format("'{}' is not defined above", name));
    return found->second;
  }

  Result<void> input(GraphBuilder& builder) {
    const std::string name = TRY(parse_value_name(cursor_));
    TRY_VOID(cursor_.expect(":"));
    return define(name, builder.add_input(name, TRY(parse_type(cursor_))));
  }

  Result<void> constant(GraphBuilder& builder) {
    const std::string name = TRY(parse_value_name(cursor_));
    TRY_VOID(cursor_.expect(":"));
    const TensorType type = TRY(parse_type(cursor_));
    TRY_VOID(cursor_.expect("="));
    return define(name, builder.add_constant(name, TRY(parse_elements(cursor_, type, constants_))));
  }

  Result<void> node(GraphBuilder& builder) {
    std::vector<std::string> names;
    std::vector<TensorType> types;
    do {
      names.push_back(TRY(parse_value_name(cursor_)));
      TRY_VOID(cursor_.expect(":"));
      types.push_back(TRY(parse_type(cursor_)));
    } while (cursor_.accept(","));
    TRY_VOID(cursor_.expect("="));
    const std::string op_name = TRY(cursor_.identifier());
    const ops::OpDef* op = ops::find_operator(op_name);
    if (op == nullptr) return cursor_.error(fmt::format("there is no operator '{}'", op_name));
    std::vector<ValueId> inputs = TRY(operands());
    ops::Attributes attributes = TRY(attribute_list(*op));
    if (op->opaque) {
      std::vector<std::string> declared;
      for (const TensorType& type : types) declared.push_back(type_text(type));
      attributes.set(ops::opaque_types, std::move(declared));
    }
    const std::string node_name = TRY(cursor_.quoted());
    Origin origin = TRY(accept_origin(cursor_));
    const NodeId id = TRY(builder.add_node(node_name, *op, std::move(inputs), std::move(attributes),
                                           names.size(), std::move(origin), names));
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Value& made = builder.value(builder.output(id, i));
      if (made.type != types[i])
        return cursor_.error(fmt::format("'{}' is declared {} but {} makes {}", names[i],
                                         to_string(types[i]), op_name, to_string(made.type)));
      TRY_VOID(define(names[i], made.id));
    }
    return {};
  }

  Result<std::vector<ValueId>> operands() {
    TRY_VOID(cursor_.expect("("));
    std::vector<ValueId> inputs;
    while (!cursor_.accept(")")) {
      if (!inputs.empty()) TRY_VOID(cursor_.expect(","));
      inputs.push_back(cursor_.accept("_") ? ValueId{} : TRY(use()));
    }
    return inputs;
  }

  Result<ops::Attributes> attribute_list(const ops::OpDef& op) {
    ops::Attributes attributes;
    if (!cursor_.accept("{")) return attributes;
    bool first = true;
    while (!cursor_.accept("}")) {
      if (!std::exchange(first, false)) TRY_VOID(cursor_.expect(","));
      const std::string name = TRY(cursor_.identifier());
      const auto spec = std::find_if(op.attributes.begin(), op.attributes.end(),
                                     [&](const ops::AttributeSpec& s) { return s.name == name; });
      if (spec == op.attributes.end())
        return cursor_.error(fmt::format("{} has no attribute '{}'", op.name, name));
      TRY_VOID(cursor_.expect("="));
      attributes.set(name, TRY(parse_attribute(cursor_, spec->kind, constants_)));
    }
    return attributes;
  }

  TextCursor cursor_;
  const Graph* constants_;
  std::unordered_map<std::string, ValueId> values_;
};

}  // namespace

Result<Graph> parse(std::string_view text, const Graph* constants) {
  return Parser(text, constants).graph();
}

}  // namespace loopglass::graph
