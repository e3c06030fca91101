#include "core/schedule/layout_map.h"

#include "core/support/text_cursor.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace loopglass::schedule {

using expr::Expr;
using Kind = LayoutTerm::Kind;

std::vector<Expr> LayoutMap::shape(const std::vector<Expr>& old_shape) const {
  std::vector<Expr> result;
  for (const LayoutTerm& term : terms) {
    const Expr& first = old_shape[term.dimensions[0]];
    switch (term.kind) {
      case Kind::Plain: result.push_back(first); break;
      case Kind::Quotient:
        result.push_back(floor_div(first + (term.factor - 1), Expr(term.factor)));
        break;
      case Kind::Remainder: result.emplace_back(term.factor); break;
      case Kind::Group: {
        Expr product(1);
        for (const std::size_t d : term.dimensions) product = product * old_shape[d];
        result.push_back(product);
        break;
      }
    }
  }
  return result;
}

std::vector<Expr> LayoutMap::forward(const std::vector<Expr>& indices,
                                     const std::vector<Expr>& old_shape) const {
  std::vector<Expr> result;
  for (const LayoutTerm& term : terms) {
    const Expr& first = indices[term.dimensions[0]];
    switch (term.kind) {
      case Kind::Plain: result.push_back(first); break;
      case Kind::Quotient: result.push_back(floor_div(first, Expr(term.factor))); break;
      case Kind::Remainder: result.push_back(floor_mod(first, Expr(term.factor))); break;
      case Kind::Group: {
        Expr joined(0);
        for (const std::size_t d : term.dimensions) joined = joined * old_shape[d] + indices[d];
        result.push_back(joined);
        break;
      }
    }
  }
  return result;
}

std::vector<Expr> LayoutMap::backward(const std::vector<Expr>& indices,
                                      const std::vector<Expr>& old_shape) const {
  std::vector<Expr> result(old_rank, Expr(0));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    const LayoutTerm& term = terms[t];
    const std::size_t first = term.dimensions[0];
    switch (term.kind) {
      case Kind::Plain: result[first] = indices[t]; break;
      case Kind::Quotient: result[first] = result[first] + indices[t] * Expr(term.factor); break;
      case Kind::Remainder: result[first] = result[first] + indices[t]; break;
      case Kind::Group: {
        Expr rest = indices[t];
        for (std::size_t i = term.dimensions.size(); i-- > 1;) {
          result[term.dimensions[i]] = floor_mod(rest, old_shape[term.dimensions[i]]);
          rest = floor_div(rest, old_shape[term.dimensions[i]]);
        }
        result[first] = rest;
        break;
      }
    }
  }
  return result;
}

namespace {

class MapParser {
 public:
  explicit MapParser(std::string_view text) : cursor_(text) {}

  Result<LayoutMap> parse() {
    while (const auto name = cursor_.accept_identifier())
      if (!dimensions_.emplace(*name, map_.old_rank++).second)
        return cursor_.error(fmt::format("dimension '{}' is named twice", *name));
    TRY_VOID(cursor_.expect("->"));
    while (!cursor_.at_end()) map_.terms.push_back(TRY(term()));
    TRY_VOID(check());
    return std::move(map_);
  }

 private:
  Result<std::size_t> dimension() {
    const std::size_t start = cursor_.position();
    const std::string name = TRY(cursor_.identifier());
    const auto known = dimensions_.find(name);
    if (known != dimensions_.end()) return known->second;
    cursor_.rewind(start);
    return cursor_.error(fmt::format("'{}' is not named left of the arrow", name));
  }

  Result<LayoutTerm> term() {
    LayoutTerm term;
    if (cursor_.accept("(")) {
      term.kind = Kind::Group;
      while (!cursor_.accept(")")) term.dimensions.push_back(TRY(dimension()));
      if (term.dimensions.empty()) return cursor_.error("an empty group");
      return term;
    }
    term.dimensions.push_back(TRY(dimension()));
    const bool quotient = cursor_.accept("/");
    if (!quotient && !cursor_.accept("%")) return term;
    term.kind = quotient ? Kind::Quotient : Kind::Remainder;
    term.factor = TRY(cursor_.integer());
    if (term.factor < 1 || term.factor > (1 << 20))
      return cursor_.error("the factor is not in 1 to 2^20");
    return term;
  }

  Result<void> check() {
    for (const auto& [name, d] : dimensions_) {
      std::vector<const LayoutTerm*> uses;
      int times = 0;
      for (const LayoutTerm& term : map_.terms) {
        const auto here = std::count(term.dimensions.begin(), term.dimensions.end(), d);
        times += static_cast<int>(here);
        if (here > 0) uses.push_back(&term);
      }
      const bool once =
          times == 1 && (uses[0]->kind == Kind::Plain || uses[0]->kind == Kind::Group);
      const bool pair = times == 2 && uses.size() == 2 && uses[0]->factor == uses[1]->factor &&
                        ((uses[0]->kind == Kind::Quotient && uses[1]->kind == Kind::Remainder) ||
                         (uses[0]->kind == Kind::Remainder && uses[1]->kind == Kind::Quotient));
      if (!once && !pair)
        return cursor_.error(fmt::format(
            "'{}' must appear once, or as {}/f and {}%f with the same f", name, name, name));
    }
    return {};
  }

  TextCursor cursor_;
  LayoutMap map_;
  std::map<std::string, std::size_t> dimensions_;
};

}  // namespace

Result<LayoutMap> parse_layout_map(std::string_view text) { return MapParser(text).parse(); }

}  // namespace loopglass::schedule
