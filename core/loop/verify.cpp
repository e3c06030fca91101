// What must hold of a Func for its text to parse back and its meaning to be plain.
#include "core/loop/source_lines.h"

#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/loop/annotations.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

namespace loopglass::loop {

namespace {

class Verifier {
 public:
  Verifier(const Func& func, const SourceLines& lines) : func_(func), lines_(lines) {}

  Result<void> run() {
    place_ = fmt::format("func {}", func_.name);
    if (!expr::is_name(func_.name))
      return broken(fmt::format("'{}' cannot name a function", func_.name));
    TRY_VOID(check(func_.annotations));
    for (const std::string& symbol : func_.symbols) {
      TRY_VOID(declare_variable(symbol, "symbol"));
      in_scope_.insert(symbol);
    }
    for (const Buffer& parameter : func_.parameters) {
      parameter_ = parameter.name;
      if (parameter.role == Role::Intermediate)
        return broken(
            fmt::format("parameter '{}' is neither input, constant nor output", parameter.name));
      if (parameter.scope != Scope::Global)
        return broken(fmt::format("parameter '{}' is not global", parameter.name));
      TRY_VOID(declare(parameter));
    }
    parameter_.clear();
    return func_.body ? check(func_.body) : Result<void>{};
  }

 private:
  std::unexpected<Diagnostic> broken(std::string what) const {
    return fail(
        Code::FuncInvalid, std::move(what),
        (statement_ ? lines_.before(statement_) : lines_.before_buffer(parameter_)) + place_);
  }

  // Loop variables and symbols are unique in the whole Func.
  Result<void> declare_variable(const std::string& name, std::string_view kind) {
    if (!expr::is_name(name)) return broken(fmt::format("'{}' cannot name a {}", name, kind));
    if (!variables_.insert(name).second)
      return broken(fmt::format("two loops or symbols are named '{}'", name));
    return {};
  }

  Result<void> declare(const Buffer& buffer) {
    if (!expr::is_name(buffer.name))
      return broken(fmt::format("'{}' cannot name a buffer", buffer.name));
    if (!buffer_names_.insert(buffer.name).second)
      return broken(fmt::format("two buffers are named '{}'", buffer.name));
    for (const Expr& extent : buffer.shape) {
      if (!extent.defined() || extent.type() != DataType::Int64)
        return broken(fmt::format("an extent of '{}' is not int64", buffer.name));
      for (const std::string& name : expr::variables_of(extent))
        if (std::find(func_.symbols.begin(), func_.symbols.end(), name) == func_.symbols.end())
          return broken(fmt::format("the shape of '{}' depends on '{}', which is no symbol",
                                    buffer.name, name));
    }
    buffers_.emplace(buffer.name, &buffer);
    if (buffer.finite && buffer.role != Role::Constant)
      return broken(fmt::format("'{}' is called finite but is not a constant", buffer.name));
    return buffer.packing ? check_packing(buffer) : Result<void>{};
  }

  Result<void> check_packing(const Buffer& buffer) const {
    if (buffer.role != Role::Constant)
      return broken(fmt::format("'{}' is packed but not a constant", buffer.name));
    if (buffer.packing->source.size() != buffer.packing->original_shape.size())
      return broken(fmt::format("the packing of '{}' gives {} of {} original indices", buffer.name,
                                buffer.packing->source.size(),
                                buffer.packing->original_shape.size()));
    for (const Expr& extent : buffer.shape)
      if (!expr::as_integer(extent))
        return broken(fmt::format("'{}' is packed into a symbolic shape", buffer.name));
    for (const Expr& source : buffer.packing->source)
      for (const std::string& name : expr::variables_of(source)) {
        bool known = false;
        for (std::size_t d = 0; d < buffer.shape.size(); ++d)
          known |= name == fmt::format("d{}", d);
        if (!known) return broken(fmt::format("the packing of '{}' uses '{}'", buffer.name, name));
      }
    return {};
  }

  Result<void> check(const Expr& e, DataType type, std::string_view role) const {
    if (!e.defined()) return broken(fmt::format("the {} is missing", role));
    if (e.type() != type)
      return broken(
          fmt::format("the {} is {}, not {}: {}", role, name(e.type()), name(type), to_string(e)));
    for (const std::string& used : expr::variables_of(e))
      if (!in_scope_.contains(used))
        return broken(fmt::format("'{}' is used outside its scope: {}", used, to_string(e)));
    Result<void> result;
    expr::visit(e, [&](const Expr& node) {
      if (const auto* load = node.as<expr::Load>(); load && result)
        result = check_load(*load, node.type());
    });
    return result;
  }

  Result<void> check_load(const expr::Load& load, DataType type) const {
    const auto buffer = buffers_.find(load.buffer);
    if (buffer == buffers_.end())
      return broken(fmt::format("load of '{}', which is no buffer here", load.buffer));
    if (type != buffer->second->type)
      return broken(fmt::format("load of {} from '{}', which is {}", name(type), load.buffer,
                                name(buffer->second->type)));
    return check_rank(*buffer->second, load.indices.size());
  }

  Result<void> check_rank(const Buffer& buffer, std::size_t indices) const {
    if (indices == buffer.shape.size()) return {};
    return broken(fmt::format("{} indices into '{}', which has rank {}", indices, buffer.name,
                              buffer.shape.size()));
  }

  Result<void> check(const Annotations& annotations) const {
    for (std::size_t i = 0; i < annotations.size(); ++i) {
      const std::string& key = annotations[i].key;
      if (!expr::is_name(key)) return broken(fmt::format("'{}' cannot name an annotation", key));
      if (i > 0 && annotations[i - 1].key >= key)
        return broken(fmt::format("annotation '{}' stands out of its order", key));
      if (key == unroll_annotation && !unrolled_copies(annotations[i].value))
        return broken(fmt::format("'{}' is no count of copies from 1 to {}: {}",
                                  annotations[i].value, most_unrolled_copies, key));
    }
    return {};
  }

  Result<void> check(const Stmt& stmt) {
    if (!stmt) return broken("a statement is missing");
    const StmtNode* outer = statement_;
    if (lines_.statements.contains(stmt.get())) statement_ = stmt.get();
    TRY_VOID(check(stmt->annotations));
    if (std::holds_alternative<Seq>(stmt->value) && !stmt->annotations.empty())
      return broken("a sequence has an annotation, which belongs to one of its statements");
    TRY_VOID(std::visit([this](const auto& s) { return statement(s); }, stmt->value));
    statement_ = outer;
    return {};
  }

  Result<void> statement(const For& s) {
    TRY_VOID(declare_variable(s.variable, "loop"));
    const std::string outer = std::exchange(place_, fmt::format("loop {}", s.variable));
    TRY_VOID(check(s.extent, DataType::Int64, "extent"));
    const bool needs_constant = s.kind == ForKind::Vectorized || s.kind == ForKind::Unrolled;
    if (needs_constant && !expr::as_integer(s.extent))
      return broken(fmt::format("{} loops need a constant extent, not {}", name(s.kind),
                                to_string(s.extent)));
    in_scope_.insert(s.variable);
    TRY_VOID(check(s.body));
    in_scope_.erase(s.variable);
    place_ = outer;
    return {};
  }

  Result<void> statement(const Block& s) {
    const std::string outer_place = std::exchange(place_, fmt::format("block {}", s.name));
    if (!expr::is_name(s.name)) return broken(fmt::format("'{}' cannot name a block", s.name));
    if (!blocks_.insert(s.name).second)
      return broken(fmt::format("two blocks are named '{}'", s.name));
    std::set<std::string> inside(func_.symbols.begin(), func_.symbols.end());
    for (const IterVar& iter : s.iters) {
      TRY_VOID(check(iter.binding, DataType::Int64, fmt::format("binding of {}", iter.name)));
      TRY_VOID(check(iter.extent, DataType::Int64, fmt::format("extent of {}", iter.name)));
      // An instance is known by its loops: were its place loaded, its own stores might move it.
      if (expr::has_load(iter.binding) || expr::has_load(iter.extent))
        return broken(
            fmt::format("'{}' is bound to what is loaded: {}", iter.name, to_string(iter.binding)));
      if (!expr::is_name(iter.name))
        return broken(fmt::format("'{}' cannot name a variable", iter.name));
      if (in_scope_.contains(iter.name) || !inside.insert(iter.name).second)
        return broken(fmt::format("'{}' already names something here", iter.name));
    }
    const std::set<std::string> outer = in_scope_;
    // The predicate stands between: it may speak of the loops around as well.
    in_scope_.insert(inside.begin(), inside.end());
    if (s.predicate.defined()) TRY_VOID(check(s.predicate, DataType::Bool, "predicate"));
    in_scope_ = inside;
    TRY_VOID(check_regions(s.reads));
    TRY_VOID(check_regions(s.writes));
    if (s.init) TRY_VOID(check(s.init));
    TRY_VOID(check(s.body));
    in_scope_ = outer;
    place_ = outer_place;
    return {};
  }

  Result<void> check_regions(const std::vector<Region>& regions) const {
    for (const Region& region : regions) {
      const auto buffer = buffers_.find(region.buffer);
      if (buffer == buffers_.end())
        return broken(fmt::format("region of '{}', which is no buffer here", region.buffer));
      TRY_VOID(check_rank(*buffer->second, region.ranges.size()));
      for (const Range& range : region.ranges) {
        TRY_VOID(check(range.min, DataType::Int64, "start of a region"));
        TRY_VOID(check(range.extent, DataType::Int64, "extent of a region"));
      }
    }
    return {};
  }

  Result<void> statement(const Store& s) {
    const auto buffer = buffers_.find(s.buffer);
    if (buffer == buffers_.end())
      return broken(fmt::format("store to '{}', which is no buffer here", s.buffer));
    const Role role = buffer->second->role;
    if (role == Role::Input || role == Role::Constant)
      return broken(fmt::format("store to '{}', whose role is {}", s.buffer, name(role)));
    TRY_VOID(check_rank(*buffer->second, s.indices.size()));
    for (const Expr& index : s.indices) TRY_VOID(check(index, DataType::Int64, "index"));
    return check(s.value, buffer->second->type, fmt::format("value stored to '{}'", s.buffer));
  }

  Result<void> statement(const If& s) {
    TRY_VOID(check(s.condition, DataType::Bool, "condition"));
    TRY_VOID(check(s.then_body));
    return s.else_body ? check(s.else_body) : Result<void>{};
  }

  Result<void> statement(const Alloc& s) {
    if (s.buffer.scope == Scope::Global || s.buffer.role != Role::Intermediate)
      return broken(fmt::format("allocation of '{}', which belongs to the caller", s.buffer.name));
    TRY_VOID(declare(s.buffer));
    TRY_VOID(check(s.body));
    buffers_.erase(s.buffer.name);
    return {};
  }

  Result<void> statement(const Prefetch& s) {
    const auto buffer = buffers_.find(s.buffer);
    if (buffer == buffers_.end())
      return broken(fmt::format("prefetch of '{}', which is no buffer here", s.buffer));
    if (buffer->second->role == Role::Intermediate)
      return broken(fmt::format("prefetch of '{}', which is no parameter", s.buffer));
    TRY_VOID(check_rank(*buffer->second, s.indices.size()));
    for (const Expr& index : s.indices) {
      TRY_VOID(check(index, DataType::Int64, "index"));
      if (expr::has_load(index))
        return broken(fmt::format("where to prefetch is itself loaded: {}", to_string(index)));
    }
    return {};
  }

  Result<void> statement(const Seq& s) {
    for (const Stmt& inner : s.statements) TRY_VOID(check(inner));
    return {};
  }

  const Func& func_;
  const SourceLines& lines_;
  const StmtNode* statement_ = nullptr;  // the innermost that has a line
  std::string place_, parameter_;        // the parameter that is being declared; empty: none
  std::set<std::string> variables_, blocks_, buffer_names_;
  std::set<std::string> in_scope_;
  std::map<std::string, const Buffer*> buffers_;  // in scope
};

}  // namespace

Result<void> verify(const Func& func) { return verify(func, {}); }
Result<void> verify(const Func& func, const SourceLines& lines) {
  return Verifier(func, lines).run();
}

}  // namespace loopglass::loop
