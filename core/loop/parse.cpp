// Reading a loop nest from its text form; text.cpp is the inverse.
#include "core/loop/text.h"

#include "core/expr/parse.h"
#include "core/loop/walk.h"
#include "core/support/origin_text.h"
#include "core/te/parse.h"

#include <fmt/format.h>
#include <map>

namespace loopglass::loop {

namespace {

class Parser {
 public:
  Parser(std::string_view text, SourceLines* lines) : cursor_(text), lines_(lines) {}

  Result<Func> func() {
    Func func;
    func.annotations = TRY(annotations());
    TRY_VOID(cursor_.expect("func"));
    func.name = TRY(name("function"));
    if (cursor_.accept("[")) {
      do func.symbols.push_back(TRY(name("symbol")));
      while (cursor_.accept(","));
      TRY_VOID(cursor_.expect("]"));
    }
    TRY_VOID(cursor_.expect("("));
    if (!cursor_.accept(")")) {
      do func.parameters.push_back(TRY(buffer()));
      while (cursor_.accept(","));
      TRY_VOID(cursor_.expect(")"));
    }
    func.body = TRY(braced());
    if (!cursor_.at_end()) return cursor_.error("expected the end of the text");
    return func;
  }

 private:
  Result<std::string> name(std::string_view kind) {
    cursor_.peek();
    const std::size_t at = cursor_.position();
    std::string word = TRY(cursor_.identifier());
    if (expr::is_name(word)) return word;
    cursor_.rewind(at);
    return cursor_.error(fmt::format("'{}' cannot name a {}", word, kind));
  }

  Result<Expr> expression() {
    return expr::parse(cursor_, [this](std::string_view buffer) -> std::optional<DataType> {
      const auto found = buffers_.find(std::string(buffer));
      return found == buffers_.end() ? std::nullopt : std::optional(found->second);
    });
  }

  Result<std::vector<Expr>> expressions(std::string_view close) {
    std::vector<Expr> items;
    if (cursor_.accept(close)) return items;
    do items.push_back(TRY(expression()));
    while (cursor_.accept(","));
    TRY_VOID(cursor_.expect(close));
    return items;
  }

  // The one of `choices` whose name stands next.
  template <class Choice, std::size_t Count>
  std::optional<Choice> accept_name_of(const std::array<Choice, Count>& choices) {
    for (const Choice choice : choices)
      if (cursor_.accept(loop::name(choice))) return choice;
    return std::nullopt;
  }

  Result<Buffer> buffer() {
    Buffer buffer;
    buffer.name = TRY(name("buffer"));
    if (lines_) lines_->buffers.emplace(buffer.name, cursor_.line());
    TRY_VOID(cursor_.expect(":"));
    cursor_.peek();
    const std::size_t at = cursor_.position();
    const std::string type_name = TRY(cursor_.identifier());
    const auto type = data_type_named(type_name);
    if (!type) {
      cursor_.rewind(at);
      return cursor_.error(fmt::format("there is no element type '{}'", type_name));
    }
    buffer.type = *type;
    TRY_VOID(cursor_.expect("["));
    buffer.shape = TRY(expressions("]"));
    if (const auto role = accept_name_of(std::array{Role::Input, Role::Constant, Role::Output})) {
      buffer.role = *role;
    } else if (const auto scope = accept_name_of(own_scopes)) {
      buffer.scope = *scope;
    } else {
      return cursor_.error(
          "expected input, constant, output, workspace, shared, stack or register");
    }
    buffer.finite = cursor_.accept("finite");
    if (cursor_.accept("packed")) buffer.packing = TRY(packing());
    buffers_[buffer.name] = buffer.type;
    return buffer;
  }

  Result<Packing> packing() {
    Packing packing;
    TRY_VOID(cursor_.expect("["));
    if (!cursor_.accept("]")) {
      do packing.original_shape.push_back(TRY(cursor_.integer()));
      while (cursor_.accept(","));
      TRY_VOID(cursor_.expect("]"));
    }
    TRY_VOID(cursor_.expect("by"));
    TRY_VOID(cursor_.expect("("));
    packing.source = TRY(expressions(")"));
    return packing;
  }

  Result<Stmt> braced() {
    TRY_VOID(cursor_.expect("{"));
    Stmt body = TRY(statements());
    TRY_VOID(cursor_.expect("}"));
    return body;
  }

  // Up to the closing brace, which is left.
  Result<Stmt> statements() {
    if (++depth_ > maximum_depth) return cursor_.error("the loop nest is too deep");
    std::vector<Stmt> list;
    while (cursor_.peek() != '}' && !cursor_.at_end()) list.push_back(TRY(statement()));
    --depth_;
    return sequence(std::move(list));
  }

  // @key @key="value" ...
  Result<Annotations> annotations() {
    Annotations list;
    while (cursor_.accept("@")) {
      Annotation added;
      added.key = TRY(name("annotation"));
      if (cursor_.accept("=")) added.value = TRY(cursor_.quoted());
      if (find_annotation(list, added.key))
        return cursor_.error(fmt::format("'@{}' is there twice", added.key));
      list = annotated(std::move(list), std::move(added));
    }
    return list;
  }

  Result<Stmt> statement() {
    Annotations own = TRY(annotations());
    cursor_.peek();
    const int line = lines_ ? cursor_.line() : 0;
    Stmt made = with_annotations(TRY(plain_statement()), std::move(own));
    if (lines_) lines_->statements.emplace(made.get(), line);
    return made;
  }

  Result<Stmt> plain_statement() {
    if (cursor_.accept("for")) return loop();
    if (cursor_.accept("block")) return block();
    if (cursor_.accept("if")) return branch();
    if (cursor_.accept("alloc")) return allocation();
    if (cursor_.accept("prefetch")) return prefetch();
    return store();
  }

  Result<Stmt> loop() {
    For loop;
    loop.variable = TRY(name("loop"));
    TRY_VOID(cursor_.expect("in"));
    loop.extent = TRY(expression());
    if (const auto kind = accept_name_of(all_for_kinds)) loop.kind = *kind;
    extents_[loop.variable] = loop.extent;
    loop.body = TRY(braced());
    extents_.erase(loop.variable);
    return make(std::move(loop));
  }

  Result<Stmt> branch() {
    If branch;
    branch.condition = TRY(expression());
    branch.then_body = TRY(braced());
    if (cursor_.accept("else")) branch.else_body = TRY(braced());
    return make(std::move(branch));
  }

  Result<Stmt> allocation() {
    Alloc alloc;
    alloc.buffer = TRY(buffer());
    // Without braces the buffer lives to the end of the list it stands in.
    alloc.body = cursor_.peek() == '{' ? TRY(braced()) : TRY(statements());
    return make(std::move(alloc));
  }

  // A buffer that there is here, and the bracket behind it.
  Result<std::string> buffer_to_index() {
    cursor_.peek();
    const std::size_t at = cursor_.position();
    const std::string buffer = TRY(cursor_.identifier());
    if (!buffers_.contains(buffer)) {
      cursor_.rewind(at);
      return cursor_.error(fmt::format("there is no buffer '{}' here", buffer));
    }
    TRY_VOID(cursor_.expect("["));
    return buffer;
  }

  Result<Stmt> prefetch() {
    Prefetch prefetch;
    prefetch.buffer = TRY(buffer_to_index());
    prefetch.indices = TRY(expressions("]"));
    return make(std::move(prefetch));
  }

  Result<Stmt> store() {
    Store store;
    store.buffer = TRY(buffer_to_index());
    store.indices = TRY(expressions("]"));
    TRY_VOID(cursor_.expect("="));
    const Expr value = TRY(expression());
    store.value = expr::number_as(value, buffers_.at(store.buffer)).value_or(value);
    store.origin = TRY(accept_origin(cursor_));
    return make(std::move(store));
  }

  Result<Stmt> block() {
    Block block;
    block.name = TRY(name("block"));
    TRY_VOID(cursor_.expect("("));
    if (!cursor_.accept(")")) {
      do block.iters.push_back(TRY(iter()));
      while (cursor_.accept(","));
      TRY_VOID(cursor_.expect(")"));
    }
    if (cursor_.accept("by")) {
      block.reducer = te::accept_reducer(cursor_);
      if (!block.reducer) return cursor_.error("expected a reducer");
    }
    block.origin = TRY(accept_origin(cursor_));
    TRY_VOID(cursor_.expect("{"));
    if (cursor_.accept("where")) block.predicate = TRY(expression());
    if (cursor_.accept("reads")) block.reads = TRY(regions());
    if (cursor_.accept("writes")) block.writes = TRY(regions());
    if (cursor_.accept("init")) block.init = TRY(braced());
    block.body = TRY(statements());
    TRY_VOID(cursor_.expect("}"));
    return make(std::move(block));
  }

  Result<IterVar> iter() {
    IterVar iter;
    iter.reduction = cursor_.accept("reduce");
    iter.name = TRY(name("variable"));
    TRY_VOID(cursor_.expect("="));
    iter.binding = TRY(expression());
    if (cursor_.accept("in")) {
      iter.extent = TRY(expression());
      return iter;
    }
    const auto* variable = iter.binding.as<expr::Variable>();
    const auto loop = variable ? extents_.find(variable->name) : extents_.end();
    if (loop == extents_.end())
      return cursor_.error(
          fmt::format("'{}' is not bound to a loop, so it needs an extent: {} = {} in ...",
                      iter.name, iter.name, to_string(iter.binding)));
    iter.extent = loop->second;
    return iter;
  }

  Result<std::vector<Region>> regions() {
    std::vector<Region> regions;
    do {
      Region region;
      region.buffer = TRY(name("buffer"));
      TRY_VOID(cursor_.expect("["));
      if (!cursor_.accept("]")) {
        do {
          Range range{TRY(expression()), Expr(1)};
          if (cursor_.accept(":")) range.extent = TRY(expression());
          region.ranges.push_back(std::move(range));
        } while (cursor_.accept(","));
        TRY_VOID(cursor_.expect("]"));
      }
      regions.push_back(std::move(region));
    } while (cursor_.accept(","));
    return regions;
  }

  TextCursor cursor_;
  SourceLines* lines_;
  std::map<std::string, DataType> buffers_;
  std::map<std::string, Expr> extents_;  // of the loops around
  int depth_ = 0;
};

}  // namespace

Result<Func> parse(std::string_view text, SourceLines* lines) { return Parser(text, lines).func(); }

}  // namespace loopglass::loop
