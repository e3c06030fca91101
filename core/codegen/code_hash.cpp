// What two Funcs must have in common for one machine code to serve both: everything but names
// (which are numbered as they come) and origins.
#include "core/codegen/kernel.h"

#include "core/support/hash.h"

#include <unordered_map>

namespace loopglass::codegen {
namespace {

using expr::Expr;
using loop::Stmt;

class Fingerprint {
 public:
  std::uint64_t of(const loop::Func& func, const CompileOptions& options) {
    put(options.optimisation_level);
    put(options.in_place.size());
    for (const schedule::InPlace& pair : options.in_place) {
      put(pair.read);
      put(pair.written);
    }
    for (const std::string& symbol : func.symbols) put(number(symbol));
    for (const loop::Buffer& parameter : func.parameters) put(parameter);
    put(func.body);
    return hasher_.digest();
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) { hasher_.value(value); }

  std::uint64_t number(const std::string& name) {
    return numbers_.try_emplace(name, numbers_.size()).first->second;
  }

  void put(const loop::Buffer& buffer) {
    put(number(buffer.name));
    put(buffer.type);
    put(buffer.scope);
    put(buffer.role);
    put(buffer.shape.size());
    for (const Expr& extent : buffer.shape) put(digest(extent));
  }

  void put(const Stmt& stmt) {
    put(stmt ? stmt->value.index() + 1 : 0);
    if (stmt) std::visit([this](const auto& value) { statement(value); }, stmt->value);
  }
  void statement(const loop::For& loop) {
    put(digest(loop.extent));
    put(number(loop.variable));
    put(loop.kind);
    put(loop.body);
  }
  void statement(const loop::Block& block) { put(number(block.name)); }  // never compiled
  void statement(const loop::Store& store) {
    put(number(store.buffer));
    put(store.indices.size());
    for (const Expr& index : store.indices) put(digest(index));
    put(digest(store.value));
  }
  void statement(const loop::If& branch) {
    put(digest(branch.condition));
    put(branch.then_body);
    put(branch.else_body);
  }
  void statement(const loop::Alloc& alloc) {
    put(alloc.buffer);
    put(alloc.body);
  }
  void statement(const loop::Seq& seq) {
    put(seq.statements.size());
    for (const Stmt& inner : seq.statements) put(inner);
  }

  // Expressions share nodes, so each node is walked once.
  std::uint64_t digest(const Expr& e) {
    if (auto known = digests_.find(e.get()); known != digests_.end()) return known->second;
    Hasher hasher;
    hasher.value(e.type()).value(e.node().value.index());
    std::visit([&](const auto& value) { node(hasher, value); }, e.node().value);
    return digests_[e.get()] = hasher.digest();
  }
  void node(Hasher& hasher, const expr::IntConstant& c) { hasher.value(c.value); }
  void node(Hasher& hasher, const expr::FloatConstant& c) { hasher.value(c.value); }
  void node(Hasher& hasher, const expr::Variable& variable) { hasher.value(number(variable.name)); }
  void node(Hasher& hasher, const expr::Load& load) {
    hasher.value(number(load.buffer)).value(load.indices.size());
    for (const Expr& index : load.indices) hasher.value(digest(index));
  }
  void node(Hasher& hasher, const expr::Unary& unary) {
    hasher.value(unary.op).value(digest(unary.operand));
  }
  void node(Hasher& hasher, const expr::Binary& binary) {
    hasher.value(binary.op).value(digest(binary.left)).value(digest(binary.right));
  }
  void node(Hasher& hasher, const expr::Select& select) {
    hasher.value(digest(select.condition))
        .value(digest(select.when_true))
        .value(digest(select.when_false));
  }
  void node(Hasher& hasher, const expr::Cast& cast) { hasher.value(digest(cast.operand)); }

  Hasher hasher_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::unordered_map<const expr::Node*, std::uint64_t> digests_;
};

}  // namespace

std::uint64_t code_hash(const loop::Func& lowered, const CompileOptions& options) {
  return Fingerprint().of(lowered, options);
}

}  // namespace loopglass::codegen
