// Printing a loop nest; parse.cpp is the inverse.
#include "core/loop/text.h"

#include "core/support/text_cursor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace loopglass::loop {

namespace {

constexpr std::size_t comfortable_width = 100;

std::string list(const std::vector<Expr>& items) {
  std::vector<std::string> texts;
  for (const Expr& item : items) texts.push_back(to_string(item));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string origin_text(const Origin& origin) {
  return origin.sources.empty() ? "" : fmt::format(" from {}", fmt::join(origin.sources, ", "));
}

std::string regions_text(const std::vector<Region>& regions) {
  std::vector<std::string> texts;
  for (const Region& region : regions) {
    std::vector<std::string> ranges;
    for (const Range& range : region.ranges)
      ranges.push_back(expr::as_integer(range.extent) == 1
                           ? to_string(range.min)
                           : fmt::format("{} : {}", to_string(range.min), to_string(range.extent)));
    texts.push_back(fmt::format("{}[{}]", region.buffer, fmt::join(ranges, ", ")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string buffer_text(const Buffer& buffer) {
  std::string text = fmt::format("{}: {}[{}]", buffer.name, name(buffer.type), list(buffer.shape));
  // A parameter is known by its role, an allocation by where it lives.
  text +=
      fmt::format(" {}", buffer.scope == Scope::Global ? name(buffer.role) : name(buffer.scope));
  if (buffer.finite) text += " finite";
  if (buffer.packing)
    text += fmt::format(" packed [{}] by ({})", fmt::join(buffer.packing->original_shape, ", "),
                        list(buffer.packing->source));
  return text;
}

class Printer {
 public:
  explicit Printer(std::unordered_map<const StmtNode*, int>* lines_of) : lines_of_(lines_of) {}

  Listing run(const Func& func) && {
    signature(func);
    ++indent_;
    statements(func.body);
    --indent_;
    close(0);
    return std::move(listing_);
  }

 private:
  void signature(const Func& func) {
    noted_ = annotations_text(func.annotations);
    std::vector<std::string> parameters;
    for (const Buffer& buffer : func.parameters) parameters.push_back(buffer_text(buffer));
    const std::string symbols =
        func.symbols.empty() ? "" : fmt::format("[{}]", fmt::join(func.symbols, ", "));
    const std::string head = fmt::format("func {}{}(", func.name, symbols);
    const std::string whole = fmt::format("{}{}) {{", head, fmt::join(parameters, ", "));
    if (whole.size() <= comfortable_width) {
      line(whole, func.name);
      return;
    }
    line(head, func.name);
    indent_ += 2;
    for (std::size_t k = 0; k < parameters.size(); ++k)
      line(parameters[k] + (k + 1 < parameters.size() ? "," : ") {"), func.parameters[k].name);
    indent_ -= 2;
  }

  static std::string annotations_text(const Annotations& annotations) {
    std::string text;
    for (const auto& [key, value] : annotations)
      text += value.empty() ? fmt::format("@{} ", key) : fmt::format("@{}={} ", key, quote(value));
    return text;
  }

  std::size_t line(std::string text, std::string entity = {}, Origin origin = {}) {
    text.insert(0, std::exchange(noted_, {}));
    const int number = static_cast<int>(listing_.lines.size()) + 1;
    listing_.lines.push_back(
        {std::move(text), indent_, std::move(entity), std::move(origin), number, number});
    return listing_.lines.size() - 1;
  }

  // The closing brace of what the line `opened` opened.
  void close(std::size_t opened, std::string text = "}") {
    line(std::move(text));
    finish(opened);
    listing_.lines.back().first = listing_.lines[opened].first;
  }
  void finish(std::size_t opened) {
    listing_.lines[opened].last = static_cast<int>(listing_.lines.size());
  }

  void body(const Stmt& stmt) {
    ++indent_;
    statements(stmt);
    --indent_;
  }

  // A list of statements; only the last may be an allocation without braces, which lives to its
  // end.
  void statements(const Stmt& stmt) {
    if (!stmt) return;
    if (const Seq* seq = as<Seq>(stmt)) {
      note(stmt);
      for (std::size_t k = 0; k < seq->statements.size(); ++k)
        print(seq->statements[k], k + 1 == seq->statements.size());
    } else {
      print(stmt, true);
    }
  }

  void note(const Stmt& stmt) {
    if (lines_of_) lines_of_->emplace(stmt.get(), static_cast<int>(listing_.lines.size()) + 1);
  }

  void print(const Stmt& stmt, bool last) {
    note(stmt);
    last_in_list_ = last;
    noted_ = annotations_text(stmt->annotations);
    std::visit(*this, stmt->value);
  }

 public:
  void operator()(const For& s) {
    const std::string kind = s.kind == ForKind::Serial ? "" : fmt::format(" {}", name(s.kind));
    const std::size_t opened =
        line(fmt::format("for {} in {}{} {{", s.variable, to_string(s.extent), kind), s.variable);
    const auto [extent, added] = extents_.emplace(s.variable, s.extent);
    body(s.body);
    if (added) extents_.erase(extent);
    close(opened);
  }

  void operator()(const Block& s) {
    std::vector<std::string> iters;
    for (const IterVar& iter : s.iters) iters.push_back(iter_text(iter));
    const std::string reducer = s.reducer ? fmt::format(" by {}", name(*s.reducer)) : "";
    const std::string opening = fmt::format("block {}({}){}{} {{", s.name, fmt::join(iters, ", "),
                                            reducer, origin_text(s.origin));
    const std::size_t opened = listing_.lines.size();
    if (iters.empty() || opening.size() <= comfortable_width) {
      line(opening, s.name, s.origin);
    } else {
      line(fmt::format("block {}(", s.name), s.name, s.origin);
      indent_ += 2;
      for (const std::string& iter : iters)
        line(
            iter + (&iter == &iters.back() ? fmt::format("){}{} {{", reducer, origin_text(s.origin))
                                           : ","),
            {}, s.origin);
      indent_ -= 2;
    }
    const Origin outer = std::exchange(inherited_, s.origin);
    ++indent_;
    if (s.predicate.defined()) line(fmt::format("where {}", to_string(s.predicate)), {}, s.origin);
    if (!s.reads.empty()) line(fmt::format("reads {}", regions_text(s.reads)), {}, s.origin);
    if (!s.writes.empty()) line(fmt::format("writes {}", regions_text(s.writes)), {}, s.origin);
    if (s.init) init(s.init);
    statements(s.body);
    --indent_;
    inherited_ = outer;
    close(opened);
  }

  void operator()(const Store& s) {
    line(store_text(s), {}, s.origin.sources.empty() ? inherited_ : s.origin);
  }

  void operator()(const If& s) {
    std::size_t opened = line(fmt::format("if {} {{", to_string(s.condition)));
    body(s.then_body);
    if (s.else_body) {
      const std::size_t first = opened;
      close(opened, "} else {");
      opened = listing_.lines.size() - 1;
      body(s.else_body);
      close(opened);
      finish(first);
    } else {
      close(opened);
    }
  }

  void operator()(const Alloc& s) {
    if (last_in_list_) {
      const std::size_t opened =
          line(fmt::format("alloc {}", buffer_text(s.buffer)), s.buffer.name);
      statements(s.body);
      finish(opened);
    } else {
      const std::size_t opened =
          line(fmt::format("alloc {} {{", buffer_text(s.buffer)), s.buffer.name);
      body(s.body);
      close(opened);
    }
  }

  void operator()(const Prefetch& s) {
    line(fmt::format("prefetch {}[{}]", s.buffer, list(s.indices)), {}, inherited_);
  }

  void operator()(const Seq& s) {
    for (const Stmt& stmt : s.statements) print(stmt, false);
  }

 private:
  static std::string store_text(const Store& s) {
    return fmt::format("{}[{}] = {}{}", s.buffer, list(s.indices), to_string(s.value),
                       origin_text(s.origin));
  }

  void init(const Stmt& stmt) {
    if (const Store* store = as<Store>(stmt); store && stmt->annotations.empty()) {
      note(stmt);
      line(fmt::format("init {{ {} }}", store_text(*store)), {},
           store->origin.sources.empty() ? inherited_ : store->origin);
      return;
    }
    const std::size_t opened = line("init {");
    body(stmt);
    close(opened);
  }

  // The extent is told where it is not plainly that of the loop bound to.
  std::string iter_text(const IterVar& iter) const {
    std::string text = fmt::format("{}{} = {}", iter.reduction ? "reduce " : "", iter.name,
                                   to_string(iter.binding));
    const auto* variable = iter.binding.as<expr::Variable>();
    const auto loop = variable ? extents_.find(variable->name) : extents_.end();
    if (loop == extents_.end() || !expr::same(loop->second, iter.extent))
      text += " in " + to_string(iter.extent);
    return text;
  }

  Listing listing_;
  std::unordered_map<const StmtNode*, int>* lines_of_;
  std::map<std::string, Expr> extents_;  // of the loops around
  Origin inherited_;                     // of the block around
  std::string noted_;                    // before the next line
  int indent_ = 0;
  bool last_in_list_ = false;
};

}  // namespace

std::string Listing::text() const {
  std::string text;
  for (const Line& line : lines)
    text += std::string(static_cast<std::size_t>(line.indent) * 2, ' ') + line.text + '\n';
  return text;
}

Origin Listing::origin_of(int line) const {
  const Line& shown = lines[static_cast<std::size_t>(line - 1)];
  std::set<std::uint32_t> sources;
  for (int number = shown.first; number <= shown.last; ++number) {
    const auto& own = lines[static_cast<std::size_t>(number - 1)].origin.sources;
    sources.insert(own.begin(), own.end());
  }
  return {{sources.begin(), sources.end()}};
}

Listing print(const Func& func, std::unordered_map<const StmtNode*, int>* lines_of) {
  return Printer(lines_of).run(func);
}

std::string to_text(const Func& func) { return print(func).text(); }

}  // namespace loopglass::loop
