// loopglassc ops: the operator reference, all of it derived from the operators' definitions.
#include "app/common/family_style.h"
#include "app/common/table.h"
#include "app/loopglassc/declare.h"
#include "core/contributed/function.h"
#include "core/fusion/pattern_kind.h"
#include "core/ops/registry.h"
#include "core/support/suggestion.h"

#include <nlohmann/json.hpp>

namespace loopglass::app {

namespace {

using Json = nlohmann::ordered_json;

struct OpsOptions {
  std::string name;
  bool json = false;
};

std::string_view name(ops::Arity arity) {
  switch (arity) {
    case ops::Arity::Required: return "required";
    case ops::Arity::Optional: return "optional";
    case ops::Arity::Variadic: return "variadic";
  }
  __builtin_unreachable();
}

// "Conv, opset 7 to 12 (axes is input 1)"
std::string describe(const ops::OnnxMapping& mapping) {
  std::string text =
      mapping.domain.empty() ? mapping.name : fmt::format("{}.{}", mapping.domain, mapping.name);
  const int open_end = ops::OnnxMapping{}.until;
  text += mapping.until == open_end ? fmt::format(", opset {} and later", mapping.since)
                                    : fmt::format(", opset {} to {}", mapping.since, mapping.until);
  for (std::size_t i = 0; i < mapping.bound.size(); ++i)
    text += fmt::format("{}{} is input {}", i == 0 ? " (" : ", ", mapping.bound[i].attribute,
                        mapping.bound[i].index);
  return mapping.bound.empty() ? text : text + ")";
}

std::string requirement(const ops::AttributeSpec& attribute) {
  if (attribute.required) return "required";
  return attribute.fallback ? "default " + ops::to_string(*attribute.fallback) : "optional";
}

Json operands_json(const std::vector<ops::Operand>& operands) {
  Json rows = Json::array();
  for (const ops::Operand& operand : operands)
    rows.push_back({{"name", operand.name}, {"arity", name(operand.arity)}, {"doc", operand.doc}});
  return rows;
}

Json to_json(const ops::OpDef& op) {
  Json attributes = Json::array(), versions = Json::array();
  for (const ops::AttributeSpec& attribute : op.attributes)
    attributes.push_back({{"name", attribute.name},
                          {"kind", name(attribute.kind)},
                          {"requirement", requirement(attribute)},
                          {"doc", attribute.doc}});
  for (const ops::OnnxMapping& mapping : op.onnx) versions.push_back(describe(mapping));
  return {{"name", op.name},
          {"family", ops::name(op.family)},
          {"doc", op.doc},
          {"inputs", operands_json(op.inputs)},
          {"outputs", operands_json(op.outputs)},
          {"attributes", attributes},
          {"onnx", versions},
          {"commutative", op.commutative},
          {"relay_kind", op.relay_kind ? Json(fusion::name(*op.relay_kind)) : Json()}};
}

void print_operands(std::string_view title, const std::vector<ops::Operand>& operands) {
  if (operands.empty()) return;
  fmt::print("\n{}\n", title);
  for (const ops::Operand& operand : operands)
    fmt::print("  {:<22}{:<10}{}\n", operand.name, name(operand.arity), operand.doc);
}

void print_page(const ops::OpDef& op) {
  fmt::print("{} ({})\n  {}\n", op.name, ops::name(op.family), op.doc);
  print_operands("inputs", op.inputs);
  print_operands("outputs", op.outputs);
  if (!op.attributes.empty()) fmt::print("\nattributes\n");
  for (const ops::AttributeSpec& attribute : op.attributes)
    fmt::print("  {:<22}{:<10}{}; {}\n", attribute.name, name(attribute.kind), attribute.doc,
               requirement(attribute));
  fmt::print("\n{}\n", op.onnx.empty() ? "not in ONNX" : "in ONNX");
  for (const ops::OnnxMapping& mapping : op.onnx) fmt::print("  {}\n", describe(mapping));
  if (op.relay_kind)
    fmt::print("\nin TVM's Relay\n  {}, whatever its loops are\n", fusion::name(*op.relay_kind));
}

// --- operators that are not ONNX's own ----------------------------------------------------------

std::string full_name(const contributed::Function& function) {
  return function.domain.empty() ? std::string(function.name)
                                 : fmt::format("{}.{}", function.domain, function.name);
}

std::vector<const contributed::Function*> functions_named(std::string_view name) {
  std::vector<const contributed::Function*> found;
  for (const contributed::Function& function : contributed::all_functions())
    if (function.name == name || full_name(function) == name) found.push_back(&function);
  return found;
}

Json to_json(const contributed::Function& function) {
  Json attributes = Json::array();
  for (const auto& attribute : function.attributes)
    attributes.push_back({{"name", attribute.name}, {"kind", name(attribute.kind)}});
  return {{"name", function.name},
          {"domain", function.domain},
          {"doc", function.doc},
          {"inputs", function.inputs},
          {"outputs", function.outputs},
          {"attributes", std::move(attributes)},
          {"caution", function.caution.empty() ? Json() : Json(function.caution)}};
}

void print_page(const contributed::Function& function) {
  fmt::print("{}\n  {}\n  Imported as the operators of ONNX that it is made of.\n",
             full_name(function), function.doc);
  if (!function.caution.empty()) fmt::print("  Note: {}.\n", function.caution);
  fmt::print("\ninputs\n  {}\n\noutputs\n  {}\n", fmt::join(function.inputs, ", "),
             fmt::join(function.outputs, ", "));
  if (!function.attributes.empty()) fmt::print("\nattributes\n");
  for (const auto& attribute : function.attributes)
    fmt::print("  {:<28}{}\n", attribute.name, name(attribute.kind));
  if (function.until < contributed::every_version) fmt::print("\nup to opset {}\n", function.until);
  if (function.since > 1) fmt::print("\nfrom opset {} on\n", function.since);
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const ops::OpDef& op : ops::all_operators()) names.push_back(op.name);
  for (const contributed::Function& function : contributed::all_functions())
    names.emplace_back(function.name);
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

// Of all operators, or of those that one name says.
Json reference_json(const std::vector<const ops::OpDef*>& operators,
                    const std::vector<const contributed::Function*>& functions) {
  Json own = Json::array(), others = Json::array();
  for (const ops::OpDef* op : operators) own.push_back(to_json(*op));
  for (const contributed::Function* function : functions) others.push_back(to_json(*function));
  return {{"operators", std::move(own)}, {"functions", std::move(others)}};
}

// By its own name, or as a domain other than ONNX's names it.
const ops::OpDef* operator_named(const std::string& name) {
  if (const ops::OpDef* op = ops::find_operator(name)) return op;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const auto match = ops::find_onnx(name.substr(0, dot), name.substr(dot + 1), 1);
  return match ? match->op : nullptr;
}

Result<Exit> show_one(const OpsOptions& options) {
  const ops::OpDef* op = operator_named(options.name);
  const auto functions = functions_named(options.name);
  if (op == nullptr && functions.empty())
    return fail(Code::UsageInvalid, fmt::format("there is no operator '{}'", options.name), {},
                did_you_mean(options.name, operator_names(), "loopglassc ops lists them all"));
  std::vector<const ops::OpDef*> own;
  if (op != nullptr) own.push_back(op);
  if (options.json) {
    print_json(Schema::Ops, reference_json(own, functions));
    return Exit::Good;
  }
  if (op != nullptr) print_page(*op);
  for (const contributed::Function* function : functions) {
    if (op != nullptr || function != functions.front()) fmt::print("\n");
    print_page(*function);
  }
  return Exit::Good;
}

Result<Exit> show(const OpsOptions& options) {
  if (!options.name.empty()) return show_one(options);
  if (options.json) {
    std::vector<const ops::OpDef*> own;
    std::vector<const contributed::Function*> functions;
    for (const ops::OpDef& op : ops::all_operators()) own.push_back(&op);
    for (const contributed::Function& each : contributed::all_functions())
      functions.push_back(&each);
    print_json(Schema::Ops, reference_json(own, functions));
    return Exit::Good;
  }
  const ops::OpDef* previous = nullptr;
  Table table({Column::word(""), Column::word("")}, 2);
  for (const ops::OpDef& op : ops::all_operators()) {
    if (previous == nullptr || previous->family != op.family)
      table.add_line({fmt::format("{}{}", previous == nullptr ? "" : "\n", ops::name(op.family)),
                      Style::Title});
    table.add({{op.name, app::style_of(op.family)}, op.doc});
    previous = &op;
  }
  table.add_line({"\nof ONNX Runtime and ONNX, imported as the operators above", Style::Title});
  for (const contributed::Function& function : contributed::all_functions())
    table.add({full_name(function), std::string(function.doc)});
  table.print();
  return Exit::Good;
}

}  // namespace

void add_ops(Command app, Action& chosen) {
  const auto [command, options] = declare<OpsOptions>(
      app, chosen, "ops", "lists the operators; with NAME, that operator's reference page", show);
  command.add_option("name", options->name, "an operator")
      .type_name("NAME")
      .suggests(operator_names);
}

}  // namespace loopglass::app
