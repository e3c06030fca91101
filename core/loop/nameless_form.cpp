#include "core/loop/nameless_form.h"

#include <unordered_map>

namespace loopglass::loop {
namespace {

using Number = std::uint64_t;

template <class T>
requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void append(std::string& bytes, T value) {
  const auto* begin = reinterpret_cast<const char*>(&value);
  bytes.append(begin, begin + sizeof(value));
}

// Names of one kind, numbered.
class Numbering {
 public:
  explicit Numbering(std::vector<std::string>& names) : names_(names) {}

  Number operator()(const std::string& name) {
    const auto [known, is_new] = numbers_.try_emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return known->second;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, Number> numbers_;
};

class Writer {
 public:
  void write(const Func& func) {
    put(func.annotations);
    put(func.symbols.size());
    for (const std::string& symbol : func.symbols) put(loops_(symbol));
    put(func.parameters.size());
    for (const Buffer& parameter : func.parameters) put(parameter);
    put(func.body);
    // Where the statements end is known by how many bytes they are.
    append(expressions_, statements_.size());
    form_.bytes = std::move(expressions_) + statements_;
  }

  NamelessForm form_;

 private:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) { append(statements_, value); }

  void put(const Annotations& annotations) {
    put(annotations.size());
    for (const auto& [key, value] : annotations)
      for (const std::string* text : {&key, &value}) {
        put(text->size());
        statements_ += *text;
      }
  }
  void put(const Buffer& buffer) {
    put(buffers_(buffer.name));
    put(buffer.type);
    put(buffer.scope);
    put(buffer.role);
    put(buffer.finite);
    put(buffer.shape);
  }
  void put(const std::vector<Expr>& expressions) {
    put(expressions.size());
    for (const Expr& e : expressions) put(e);
  }
  void put(const Expr& e) { put(e.defined() ? number(e) + 1 : 0); }

  void put(const Stmt& stmt) {
    put(stmt ? stmt->value.index() + 1 : 0);
    if (stmt) put(stmt->annotations);
    if (stmt) std::visit([this](const auto& value) { statement(value); }, stmt->value);
  }
  void statement(const For& loop) {
    put(loop.extent);
    put(loops_(loop.variable));
    put(loop.kind);
    put(loop.body);
  }
  void statement(const Block& block) {
    put(blocks_(block.name));
    put(block.iters.size());
    for (const IterVar& iter : block.iters) {
      put(iter.extent);
      put(iter.reduction);
      put(iter.binding);
    }
    put(block.reducer.has_value());
    if (block.reducer) put(*block.reducer);
    // Within it a variable's name, and all that is written with it, means something else.
    auto outside = std::exchange(known_, {});
    auto others = std::exchange(iters_, {});
    for (const IterVar& iter : block.iters) iters_.emplace(iter.name, iters_.size());
    put(block.predicate);
    put(block.init);
    put(block.body);
    known_ = std::move(outside);
    iters_ = std::move(others);
  }
  void statement(const Store& store) {
    put(buffers_(store.buffer));
    put(store.indices);
    put(store.value);
  }
  void statement(const If& branch) {
    put(branch.condition);
    put(branch.then_body);
    put(branch.else_body);
  }
  void statement(const Alloc& alloc) {
    put(alloc.buffer);
    put(alloc.body);
  }
  void statement(const Prefetch& prefetch) {
    put(buffers_(prefetch.buffer));
    put(prefetch.indices);
  }
  void statement(const Seq& seq) {
    put(seq.statements.size());
    for (const Stmt& inner : seq.statements) put(inner);
  }

  // Expressions share nodes, or do not: each is written once and then known by its number, whether
  // it is met as the same node or as an equal one.
  Number number(const Expr& e) {
    if (const auto known = known_.find(e.get()); known != known_.end()) return known->second;
    std::string bytes;
    append(bytes, e.type());
    append(bytes, e.node().value.index());
    std::visit([&](const auto& value) { node(bytes, value); }, e.node().value);
    const auto [equal, is_new] = written_.try_emplace(std::move(bytes), written_.size());
    if (is_new) expressions_ += equal->first;
    return known_[e.get()] = equal->second;
  }
  void node(std::string& bytes, const expr::IntConstant& c) { append(bytes, c.value); }
  void node(std::string& bytes, const expr::FloatConstant& c) {
    append(bytes, std::bit_cast<std::uint64_t>(c.value));
  }
  void node(std::string& bytes, const expr::Variable& variable) {
    const auto iter = iters_.find(variable.name);
    append(bytes, iter != iters_.end());
    append(bytes, iter != iters_.end() ? iter->second : loops_(variable.name));
  }
  void node(std::string& bytes, const expr::Load& load) {
    append(bytes, buffers_(load.buffer));
    append(bytes, load.indices.size());
    for (const Expr& index : load.indices) append(bytes, number(index));
  }
  void node(std::string& bytes, const expr::Unary& unary) {
    append(bytes, unary.op);
    append(bytes, number(unary.operand));
  }
  void node(std::string& bytes, const expr::Binary& binary) {
    append(bytes, binary.op);
    append(bytes, number(binary.left));
    append(bytes, number(binary.right));
  }
  void node(std::string& bytes, const expr::Select& select) {
    append(bytes, number(select.condition));
    append(bytes, number(select.when_true));
    append(bytes, number(select.when_false));
  }
  void node(std::string& bytes, const expr::Cast& cast) { append(bytes, number(cast.operand)); }

  std::string expressions_, statements_;
  Numbering buffers_{form_.buffers}, blocks_{form_.blocks}, loops_{form_.loops};
  std::unordered_map<std::string, Number> iters_;  // of the block at hand
  std::unordered_map<std::string, Number> written_;
  std::unordered_map<const expr::Node*, Number> known_;
};

}  // namespace

NamelessForm nameless_form(const Func& func) {
  Writer writer;
  writer.write(func);
  return std::move(writer.form_);
}

}  // namespace loopglass::loop
