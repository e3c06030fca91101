#include "tests/pass/formula.h"

#include "core/ops/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <stdexcept>

namespace loopglass::test {

namespace {

class Parser {
 public:
  Parser(std::string_view text, DataType type) : text_(text), type_(type), builder_("formula") {}

  graph::Graph operator()() {
    std::vector<graph::ValueId> results;
    do {
      const graph::ValueId value = expression();
      results.push_back(
          node("Unsqueeze", {value}, {{"axes", std::vector<std::int64_t>{0}}}, false));
    } while (take(';'));
    if (position_ != text_.size()) wrong("the end");
    builder_.set_outputs(results);
    return std::move(builder_).finish().value();
  }

 private:
  [[noreturn]] void wrong(std::string_view wanted) const {
    throw std::invalid_argument(fmt::format("'{}' at {}: {} expected", text_, position_, wanted));
  }
  void skip() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }
  bool take(char wanted) {
    skip();
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  void need(char wanted) {
    if (!take(wanted)) wrong(std::string(1, wanted));
  }
  std::string word() {
    skip();
    const std::size_t start = position_;
    while (position_ < text_.size() && (std::isalnum(text_[position_]) || text_[position_] == '_' ||
                                        text_[position_] == '-' || text_[position_] == '.'))
      ++position_;
    return std::string(text_.substr(start, position_ - start));
  }
  DataType type() {
    if (!take(':')) return type_;
    return data_type_named(word()).value();
  }

  graph::ValueId expression() {
    if (take('[')) return list();
    const std::string name = word();
    if (name.empty()) wrong("an operand");
    if (name == "_") return {};
    if (std::isdigit(name.front()) || name.front() == '-') return number(name);
    if (std::islower(name.front())) return letter(name);
    return operation(name);
  }

  graph::ValueId list() {
    std::vector<double> numbers;
    do numbers.push_back(std::stod(word()));
    while (take(','));
    need(']');
    const DataType element_type = type();
    return constant({element_type, {static_cast<std::int64_t>(numbers.size())}}, numbers);
  }

  graph::ValueId number(const std::string& digits) {
    const DataType element_type = type();
    Shape shape;
    if (take('@')) {
      const std::string extents = word();
      for (std::size_t start = 0; start <= extents.size();) {
        const std::size_t end = std::min(extents.find('x', start), extents.size());
        shape.push_back(std::stoll(extents.substr(start, end - start)));
        start = end + 1;
      }
    }
    return constant(
        {element_type, shape},
        std::vector<double>(static_cast<std::size_t>(element_count(shape)), std::stod(digits)));
  }

  graph::ValueId constant(TensorType wanted, const std::vector<double>& numbers) {
    Tensor tensor(wanted);
    visit_type(wanted.type, [&](auto zero) {
      std::ranges::transform(numbers, tensor.as<decltype(zero)>().begin(),
                             [](double number) { return static_cast<decltype(zero)>(number); });
    });
    return builder_.add_constant("k", tensor);
  }

  graph::ValueId letter(const std::string& name) {
    const DataType element_type = type();
    const auto [found, fresh] = letters_.try_emplace(name);
    if (fresh) found->second = builder_.add_input(name, {element_type, shape_of(name)});
    return found->second;
  }

  static Shape shape_of(const std::string& letter) {
    if (letter.ends_with('2')) return {12, 12};
    return letter == "s" || letter == "t" ? Shape{12} : Shape{4, 12};
  }

  graph::ValueId operation(const std::string& name) {
    const std::size_t start = position_;
    ops::Attributes attributes;
    if (take('<')) {
      do {
        const std::string attribute = word();
        need('=');
        attributes.set(attribute, value_of(name, attribute, word()));
      } while (take(','));
      need('>');
    }
    need('(');
    std::vector<graph::ValueId> operands;
    do operands.push_back(expression());
    while (take(','));
    need(')');
    const auto [found, fresh] =
        nodes_.try_emplace(name + std::string(text_.substr(start, position_ - start)));
    if (fresh) found->second = node(name, operands, attributes, true);
    return found->second;
  }

  static ops::AttributeValue value_of(const std::string& op, const std::string& attribute,
                                      const std::string& text) {
    for (const ops::AttributeSpec& spec : ops::find_operator(op)->attributes) {
      if (spec.name != attribute) continue;
      if (spec.kind == ops::AttributeKind::Int) return std::int64_t{std::stoll(text)};
      if (spec.kind == ops::AttributeKind::Float) return std::stod(text);
      if (spec.kind == ops::AttributeKind::String) return text;
    }
    throw std::invalid_argument(op + "." + attribute);
  }

  graph::ValueId node(const std::string& op, const std::vector<graph::ValueId>& operands,
                      const ops::Attributes& attributes, bool named) {
    const ops::OpDef* found = ops::find_operator(op);
    if (found == nullptr) throw std::invalid_argument("no operator " + op);
    const auto made = builder_.add_node(named ? op : "result", *found, operands, attributes);
    if (!made) throw std::invalid_argument(to_string(made.error()));
    return builder_.output(*made);
  }

  std::string_view text_;
  DataType type_;
  std::size_t position_ = 0;
  graph::GraphBuilder builder_;
  std::map<std::string, graph::ValueId> letters_, nodes_;
};

std::string constant_text(const Tensor& tensor) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < tensor.elements(); ++i) numbers.push_back(tensor.double_at(i));
  if (std::ranges::all_of(numbers, [&](double number) { return number == numbers.front(); }))
    return fmt::format("{}", numbers.front());
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

std::string text_of(const graph::Graph& graph, graph::ValueId id) {
  if (!id) return "_";
  const graph::Value& value = graph.value(id);
  if (value.is_constant()) return constant_text(value.constant);
  if (!value.producer) return value.name;
  const graph::Node& node = graph.node(value.producer);
  std::vector<std::string> attributes, operands;
  for (const ops::AttributeSpec& spec : node.op->attributes) {
    const ops::AttributeValue* given = node.attributes.find(spec.name);
    if (given == nullptr) continue;
    const std::string text = ops::to_string(*given);
    if (spec.fallback && text == ops::to_string(*spec.fallback)) continue;
    const auto* word = std::get_if<std::string>(given);
    attributes.push_back(fmt::format("{}={}", spec.name, word != nullptr ? *word : text));
  }
  for (const graph::ValueId operand : node.inputs) operands.push_back(text_of(graph, operand));
  return fmt::format("{}{}({})", node.op->name,
                     attributes.empty() ? "" : fmt::format("<{}>", fmt::join(attributes, ", ")),
                     fmt::join(operands, ", "));
}

}  // namespace

graph::Graph formula(std::string_view text, DataType type) { return Parser(text, type)(); }

std::string to_formula(const graph::Graph& graph) {
  std::vector<std::string> results;
  for (const graph::ValueId output : graph.outputs())
    results.push_back(text_of(graph, graph.node(graph.value(output).producer).inputs.front()));
  return fmt::format("{}", fmt::join(results, "; "));
}

}  // namespace loopglass::test
