// What two Funcs must have in common for one machine code to serve both: everything but names
// (which are numbered as they come) and origins.
#include "core/codegen/generator_version.h"
#include "core/codegen/object_code.h"
#include "core/codegen/target.h"

#include <fmt/format.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/BLAKE3.h>

#include <cstring>
#include <unordered_map>

namespace loopglass::codegen {
namespace {

using expr::Expr;
using loop::Stmt;

using Digest = std::array<std::uint8_t, 32>;

// What is to be digested, as bytes one behind the other.
class Bytes {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> Bytes& value(T value) {
    const auto* begin = reinterpret_cast<const char*>(&value);
    bytes_.append(begin, begin + sizeof(value));
    return *this;
  }
  Bytes& value(const Digest& digest) {
    bytes_.append(digest.begin(), digest.end());
    return *this;
  }
  Bytes& text(std::string_view text) {
    value(text.size());
    bytes_ += text;
    return *this;
  }
  Digest digest() const {
    llvm::BLAKE3 hash;
    hash.update(llvm::StringRef(bytes_));
    return hash.final();
  }

 private:
  std::string bytes_;
};

class Fingerprint {
 public:
  Digest of(const loop::Func& func, const CompileOptions& options) {
    const Target& target = host_target();
    for (const std::string_view text :
         {generator_version, std::string_view(LLVM_VERSION_STRING), std::string_view(target.triple),
          std::string_view(target.processor), std::string_view(target.features)})
      bytes_.text(text);
    put(options.optimisation_level);
    put(options.in_place.size());
    for (const schedule::InPlace& pair : options.in_place) {
      put(pair.read);
      put(pair.written);
    }
    for (const std::string& symbol : func.symbols) put(number(symbol));
    for (const loop::Buffer& parameter : func.parameters) put(parameter);
    put(func.body);
    return bytes_.digest();
  }

 private:
  template <class T>
  void put(const T& value) requires std::is_arithmetic_v<T> || std::is_enum_v<T> ||
      std::is_same_v<T, Digest> {
    bytes_.value(value);
  }

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
  Digest digest(const Expr& e) {
    if (auto known = digests_.find(e.get()); known != digests_.end()) return known->second;
    Bytes bytes;
    bytes.value(e.type()).value(e.node().value.index());
    std::visit([&](const auto& value) { node(bytes, value); }, e.node().value);
    return digests_[e.get()] = bytes.digest();
  }
  void node(Bytes& bytes, const expr::IntConstant& c) { bytes.value(c.value); }
  void node(Bytes& bytes, const expr::FloatConstant& c) { bytes.value(c.value); }
  void node(Bytes& bytes, const expr::Variable& variable) { bytes.value(number(variable.name)); }
  void node(Bytes& bytes, const expr::Load& load) {
    bytes.value(number(load.buffer)).value(load.indices.size());
    for (const Expr& index : load.indices) bytes.value(digest(index));
  }
  void node(Bytes& bytes, const expr::Unary& unary) {
    bytes.value(unary.op).value(digest(unary.operand));
  }
  void node(Bytes& bytes, const expr::Binary& binary) {
    bytes.value(binary.op).value(digest(binary.left)).value(digest(binary.right));
  }
  void node(Bytes& bytes, const expr::Select& select) {
    bytes.value(digest(select.condition))
        .value(digest(select.when_true))
        .value(digest(select.when_false));
  }
  void node(Bytes& bytes, const expr::Cast& cast) { bytes.value(digest(cast.operand)); }

  Bytes bytes_;
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::unordered_map<const expr::Node*, Digest> digests_;
};

}  // namespace

std::string CodeKey::text() const {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::uint64_t CodeKey::short_form() const {
  std::uint64_t value;
  std::memcpy(&value, digest.data(), sizeof(value));
  return value;
}

CodeKey code_key(const loop::Func& lowered, const CompileOptions& options) {
  return {Fingerprint().of(lowered, options)};
}

}  // namespace loopglass::codegen
