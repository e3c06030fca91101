#include "core/te/parse.h"

#include "core/expr/parse.h"
#include "core/expr/rewrite.h"
#include "core/support/origin_text.h"
#include "core/te/axis_roles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace loopglass::te {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), cursor_(text) {}

  Result<Parsed> parse() {
    while (!cursor_.at_end()) {
      if (accept_line("symbols")) TRY_VOID(symbols());
      else if (accept_line("input")) TRY(input());
      else if (accept_line("constant")) constants_.push_back(TRY(input()));
      else if (accept_line("output")) TRY_VOID(outputs());
      else TRY_VOID(stage());
    }
    if (program_.stages.empty()) return cursor_.error("expected a tensor to compute");
    if (program_.outputs.empty()) program_.outputs = unread();
    return Parsed{std::move(program_), std::move(constants_), std::move(defaults_),
                  std::move(lines_)};
  }

 private:
  // The word of a line, and no tensor of that name.
  bool accept_line(std::string_view word) {
    const std::size_t at = cursor_.position();
    if (!cursor_.accept(word)) return false;
    if (cursor_.peek() != ':' && cursor_.peek() != '[') return true;
    cursor_.rewind(at);
    return false;
  }

  std::unexpected<Diagnostic> error_at(std::size_t at, std::string what, std::string hint = {}) {
    cursor_.rewind(at);
    std::unexpected<Diagnostic> refusal = cursor_.error(std::move(what));
    if (!hint.empty()) refusal.error().hint = std::move(hint);
    return refusal;
  }

  std::size_t here() {
    cursor_.peek();  // behind blanks
    return cursor_.position();
  }

  Result<std::string> name(std::string_view kind) {
    const std::size_t at = here();
    std::string word = TRY(cursor_.identifier());
    if (!expr::is_name(word)) return error_at(at, fmt::format("'{}' cannot name {}", word, kind));
    return word;
  }

  bool is_symbol(const std::string& name) const {
    return std::ranges::find(program_.symbols, name) != program_.symbols.end();
  }

  Result<void> symbols() {
    do {
      const std::size_t at = here();
      std::string symbol = TRY(name("a symbol"));
      if (is_numbered(symbol))
        return error_at(at, fmt::format("'{}' is what axes are numbered with", symbol));
      if (is_symbol(symbol) || tensors_.contains(symbol))
        return error_at(at, fmt::format("'{}' already names a {}", symbol,
                                        is_symbol(symbol) ? "symbol" : "tensor"));
      if (cursor_.accept("=")) {
        const std::int64_t usual = TRY(cursor_.integer());
        if (usual < 0) return cursor_.error("an extent counts from 0");
        defaults_[symbol] = usual;
      }
      program_.symbols.push_back(std::move(symbol));
    } while (cursor_.accept(","));
    return {};
  }

  Result<std::string> new_tensor() {
    const std::size_t at = here();
    std::string tensor = TRY(name("a tensor"));
    if (tensors_.contains(tensor) || is_symbol(tensor))
      return error_at(at, fmt::format("'{}' already names a {}", tensor,
                                      is_symbol(tensor) ? "symbol" : "tensor"));
    return tensor;
  }

  Result<std::string> input() {
    const std::size_t at = here();
    Tensor tensor{TRY(new_tensor()), {}, {}};
    lines_.emplace(tensor.name, cursor_.line());
    if (!program_.stages.empty())
      return error_at(at, "inputs stand before what is computed from them");
    TRY_VOID(cursor_.expect(":"));
    TRY_VOID(type(tensor));
    tensors_.emplace(tensor.name, tensor);
    return program_.inputs.emplace_back(std::move(tensor)).name;
  }

  Result<void> type(Tensor& tensor) {
    const std::size_t at = here();
    const std::string word = TRY(cursor_.identifier());
    const auto element = data_type_named(word);
    if (!element) return error_at(at, fmt::format("there is no element type '{}'", word));
    tensor.type = *element;
    TRY_VOID(cursor_.expect("["));
    if (cursor_.accept("]")) return {};
    do tensor.shape.push_back(TRY(extent()));
    while (cursor_.accept(","));
    return cursor_.expect("]");
  }

  Result<Expr> extent() {
    const std::size_t at = here();
    Expr e = TRY(expr::parse(cursor_));
    if (e.type() != DataType::Int64) return error_at(at, "an extent is a whole number");
    for (const std::string& used : expr::variables_of(e))
      if (!is_symbol(used)) {
        Diagnostic problem = error_at(at, fmt::format("there is no symbol '{}'", used)).error();
        if (problem.hint.empty())
          problem.hint = fmt::format("a line 'symbols {} = 1000' declares it", used);
        return std::unexpected(std::move(problem));
      }
    if (const auto constant = expr::as_integer(e); constant && *constant < 0)
      return error_at(at, fmt::format("an extent of {}", *constant));
    return e;
  }

  Result<void> outputs() {
    do {
      const std::size_t at = here();
      std::string tensor = TRY(cursor_.identifier());
      if (!tensors_.contains(tensor))
        return error_at(at, fmt::format("there is no tensor '{}'", tensor));
      if (std::ranges::find(program_.outputs, tensor) != program_.outputs.end())
        return error_at(at, fmt::format("'{}' is an output twice", tensor));
      program_.outputs.push_back(std::move(tensor));
    } while (cursor_.accept(","));
    return {};
  }

  // An axis as it is written; no extent: it follows from the body.
  struct Written {
    std::string name;
    Expr extent;
    std::size_t at;
  };

  Result<Written> axis(const std::vector<Written>& before) {
    Written axis{{}, {}, here()};
    axis.name = TRY(name("an axis"));
    const bool taken =
        std::ranges::any_of(before, [&](const Written& other) { return other.name == axis.name; });
    if (taken || is_symbol(axis.name))
      return error_at(
          axis.at, fmt::format("'{}' already names {}", axis.name, taken ? "an axis" : "a symbol"));
    if (cursor_.accept("<")) axis.extent = TRY(extent());
    return axis;
  }

  // "C: float32[n]", which may stand before "C[i] = ...".
  Result<std::optional<Tensor>> declaration() {
    const std::size_t at = here();
    Tensor declared{TRY(new_tensor()), {}, {}};
    if (!cursor_.accept(":")) {
      cursor_.rewind(at);
      return std::nullopt;
    }
    TRY_VOID(type(declared));
    return declared;
  }

  Result<void> stage() {
    const std::optional<Tensor> declared = TRY(declaration());
    const std::size_t at = here();
    Stage stage;
    stage.output.name = TRY(new_tensor());
    lines_.emplace(stage.output.name, cursor_.line());
    if (declared && declared->name != stage.output.name)
      return error_at(at, fmt::format("expected '{}', whose type was just said", declared->name));
    TRY_VOID(cursor_.expect("["));
    std::vector<Written> axes;
    if (!cursor_.accept("]")) {
      do axes.push_back(TRY(axis(axes)));
      while (cursor_.accept(","));
      TRY_VOID(cursor_.expect("]"));
    }
    const std::size_t spatial = axes.size();
    if (declared && declared->rank() != spatial)
      return error_at(at, fmt::format("{} indices into '{}', which has rank {}", spatial,
                                      stage.output.name, declared->rank()));
    TRY_VOID(cursor_.expect("="));
    stage.reducer = accept_reducer();
    if (stage.reducer) {
      do axes.push_back(TRY(axis(axes)));
      while (cursor_.accept(","));
      TRY_VOID(cursor_.expect("of"));
    }
    stage.body = TRY(body(axes));
    if (declared) stage.body = expr::number_as(stage.body, declared->type).value_or(stage.body);
    TRY_VOID(check_type(stage, declared, at));
    for (std::size_t k = 0; k < axes.size(); ++k) {
      if (declared && k < spatial) TRY_VOID(check_extent(axes[k], declared->shape[k]));
      if (!axes[k].extent.defined())
        axes[k].extent = declared && k < spatial ? declared->shape[k] : Expr();
      if (!axes[k].extent.defined()) axes[k].extent = TRY(indexed_by(axes[k], stage.body));
      (k < spatial ? stage.axes : stage.reduce_axes).push_back({axes[k].name, axes[k].extent});
      if (k < spatial) stage.output.shape.push_back(axes[k].extent);
    }
    stage.output.type = stage.body.type();
    stage.origin = TRY(accept_origin(cursor_));
    tensors_.emplace(stage.output.name, stage.output);
    program_.stages.push_back(std::move(stage));
    return {};
  }

  // "sum over": a tensor or function may be called like a reducer.
  std::optional<Reducer> accept_reducer() {
    const std::size_t at = cursor_.position();
    const auto reducer = te::accept_reducer(cursor_);
    if (reducer && cursor_.accept("over")) return reducer;
    cursor_.rewind(at);
    return std::nullopt;
  }

  Result<Expr> body(const std::vector<Written>& axes) {
    const std::size_t at = here();
    auto parsed = expr::parse(cursor_, [this](std::string_view tensor) -> std::optional<DataType> {
      const auto found = tensors_.find(std::string(tensor));
      if (found != tensors_.end()) read_.insert(found->first);
      return found == tensors_.end() ? std::nullopt : std::optional(found->second.type);
    });
    if (!parsed)
      if (const auto inner = reducer_within(at))
        return error_at(*inner,
                        "what is reduced is the whole right side: give it a line of its own, "
                        "and read that here");
    Expr e = TRY(std::move(parsed));
    for (const std::string& used : expr::variables_of(e))
      if (!is_symbol(used) &&
          std::ranges::none_of(axes, [&](const Written& axis) { return axis.name == used; }))
        return error_at(word_at(used, at), fmt::format("'{}' is no axis and no symbol", used),
                        fmt::format("an axis of the left side; what is summed over is said: "
                                    "sum over {} of ...",
                                    used));
    std::string misfit;
    expr::visit(e, [&](const Expr& part) {
      const auto* load = part.as<expr::Load>();
      if (!load || !misfit.empty()) return;
      if (const std::size_t rank = tensors_.at(load->buffer).rank(); load->indices.size() != rank)
        misfit = fmt::format("{} indices into '{}', which has rank {}", load->indices.size(),
                             load->buffer, rank);
    });
    if (!misfit.empty()) return error_at(at, misfit);
    return e;
  }

  // Where "sum over" stands in the rest of the line, which is no expression.
  std::optional<std::size_t> reducer_within(std::size_t at) const {
    const std::size_t end = std::min({text_.find('\n', at), text_.find("//", at), text_.size()});
    const std::size_t over = word_at("over", at);
    if (over <= at || over >= end) return std::nullopt;
    std::size_t last = over;
    while (last > at && text_[last - 1] == ' ') --last;
    std::size_t first = last;
    while (first > at && std::isalpha(static_cast<unsigned char>(text_[first - 1]))) --first;
    TextCursor word(text_.substr(first, last - first));
    return te::accept_reducer(word) ? std::optional(first) : std::nullopt;
  }

  // Where the word stands behind `at`.
  std::size_t word_at(const std::string& word, std::size_t at) const {
    const auto is_part = [&](std::size_t place) {
      return place < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[place])) ||
                                      text_[place] == '_' || text_[place] == '.');
    };
    for (std::size_t place = text_.find(word, at); place != std::string_view::npos;
         place = text_.find(word, place + 1))
      if (!is_part(place - 1) && !is_part(place + word.size())) return place;
    return at;
  }

  Result<void> check_type(const Stage& stage, const std::optional<Tensor>& declared,
                          std::size_t at) {
    const DataType type = stage.body.type();
    if (declared && declared->type != type)
      return error_at(at, fmt::format("'{}' is {}, and its body {}", declared->name,
                                      loopglass::name(declared->type), loopglass::name(type)));
    if (stage.reducer && !reduces(*stage.reducer, type))
      return error_at(at,
                      fmt::format("'{}' over {}", te::name(*stage.reducer), loopglass::name(type)));
    return {};
  }

  Result<void> check_extent(const Written& axis, const Expr& declared) {
    if (!axis.extent.defined() || expr::same(axis.extent, declared)) return {};
    return error_at(axis.at, fmt::format("'{}' goes to {}, and the tensor's extent is {}",
                                         axis.name, to_string(axis.extent), to_string(declared)));
  }

  Result<Expr> indexed_by(const Written& axis, const Expr& body) {
    Expr found;
    expr::visit(body, [&](const Expr& part) {
      const auto* load = part.as<expr::Load>();
      for (std::size_t d = 0; load && d < load->indices.size() && !found.defined(); ++d)
        if (const auto* variable = load->indices[d].as<expr::Variable>();
            variable && variable->name == axis.name)
          found = tensors_.at(load->buffer).shape[d];
    });
    if (found.defined()) return found;
    return error_at(axis.at, fmt::format("how far '{0}' goes does not follow from the tensors it "
                                         "indexes: write '{0} < extent'",
                                         axis.name));
  }

  // Tensors that no line reads.
  std::vector<std::string> unread() const {
    std::vector<std::string> result;
    for (const Stage& stage : program_.stages)
      if (!read_.contains(stage.output.name)) result.push_back(stage.output.name);
    return result;
  }

  const std::string_view text_;
  TextCursor cursor_;
  Program program_;
  std::vector<std::string> constants_;
  std::map<std::string, std::int64_t> defaults_;
  std::map<std::string, int> lines_;
  std::map<std::string, Tensor> tensors_;
  std::set<std::string> read_;  // as the text stands, before anything is folded
};

}  // namespace

std::optional<Reducer> accept_reducer(TextCursor& cursor) {
  for (const Reducer reducer :
       {Reducer::Sum, Reducer::Product, Reducer::Min, Reducer::Max, Reducer::And, Reducer::Or})
    if (cursor.accept(te::name(reducer))) return reducer;
  return std::nullopt;
}

Result<Parsed> parse(std::string_view text) { return Parser(text).parse(); }

std::string to_text(const Parsed& parsed) {
  const Program& program = parsed.program;
  std::string text = to_string(program);
  if (!program.symbols.empty()) {
    std::vector<std::string> symbols;
    for (const std::string& symbol : program.symbols) {
      const auto usual = parsed.defaults.find(symbol);
      symbols.push_back(
          usual == parsed.defaults.end() ? symbol : fmt::format("{} = {}", symbol, usual->second));
    }
    text.replace(0, text.find('\n'), fmt::format("symbols {}", fmt::join(symbols, ", ")));
  }
  for (const std::string& constant : parsed.constants) {
    const std::string line = fmt::format("input {}: ", constant);
    if (const std::size_t at = text.find(line); at != std::string::npos)
      text.replace(at, line.size(), fmt::format("constant {}: ", constant));
  }
  return text;
}

}  // namespace loopglass::te
