#include "passes/loop/cut_vectors.h"

#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/names.h"
#include "core/loop/ranges.h"
#include "core/loop/renamed_copy.h"
#include "core/loop/rewrite.h"
#include "core/loop/vector_pieces.h"
#include "core/loop/walk.h"
#include "core/support/overloaded.h"
#include "passes/loop/simplify_loops.h"

#include <fmt/core.h>

#include <bit>
#include <utility>

namespace loopglass::passes {

using namespace loop;

namespace {

using Pieces = VectorPieces;
constexpr std::int64_t widest = Pieces::widest;

// "2 of 16 and one of 8, 3 of them idle"
std::string words_of(const Pieces& pieces) {
  const std::string end = pieces.last == 0    ? ""
                          : pieces.has_idle() ? fmt::format("one of {}, {} of them idle",
                                                            pieces.last, pieces.last - pieces.rest)
                                              : fmt::format("one of {}", pieces.last);
  if (pieces.whole == 0) return end;
  const std::string full = fmt::format("{} of {}", pieces.whole, widest);
  return end.empty() ? full : full + " and " + end;
}

class Cutting {
 public:
  Cutting(const Func& func, pass::Report& report) : names_(func), report_(report) {}

  Stmt run(const Stmt& stmt) {
    const For* node = as<For>(stmt);
    const auto lanes =
        node && node->kind == ForKind::Vectorized ? expr::as_integer(node->extent) : std::nullopt;
    if (lanes && *lanes > 1 && *lanes <= Pieces::most_lanes &&
        !std::has_single_bit(static_cast<std::uint64_t>(*lanes))) {
      tell(*node, *lanes);
      own_name_is_taken_ = false;
      return around_vectors(node->body, *node, Pieces(*lanes));
    }
    if (node) add_range(ranges_, node->variable, node->extent);
    const Stmt result = map_children(stmt, [&](const Stmt& child) { return run(child); });
    if (node) ranges_.erase(node->variable);
    return result;
  }

 private:
  void tell(const For& loop, std::int64_t lanes) {
    const Pieces pieces(lanes);
    report_.rewrite({"cut", {}, {}, loop.variable});
    report_.remark({pass::RemarkKind::Note,
                    "VECTOR_CUT",
                    loop.variable,
                    {{"lanes", static_cast<double>(lanes)},
                     {"idle", static_cast<double>(pieces.last - pieces.rest)}},
                    fmt::format("the {} lanes of '{}' become vectors: {}", lanes, loop.variable,
                                words_of(pieces))});
  }

  // What is the same in every lane stays outside; the rest becomes vectors, each statement for all
  // lanes before the next, as a vector's lanes run anyway.
  Stmt around_vectors(const Stmt& stmt, const For& lanes, const Pieces& pieces) {
    const auto same_in_lanes = [&](const Expr& e) {
      return !expr::uses_variable(e, lanes.variable);
    };
    const auto inside = [&] {
      return map_children(stmt,
                          [&](const Stmt& child) { return around_vectors(child, lanes, pieces); });
    };
    return std::visit(Overloaded{
                          [&](const For& node) {
                            if (!same_in_lanes(node.extent)) return vectors(stmt, lanes, pieces);
                            add_range(ranges_, node.variable, node.extent);
                            const Stmt result = inside();
                            ranges_.erase(node.variable);
                            return result;
                          },
                          [&](const loop::If& node) {
                            return same_in_lanes(node.condition) ? inside()
                                                                 : vectors(stmt, lanes, pieces);
                          },
                          [&](const loop::Seq&) { return inside(); },
                          [&](const loop::Store&) { return vectors(stmt, lanes, pieces); },
                          [&](const loop::Prefetch&) { return vectors(stmt, lanes, pieces); },
                          [&](const loop::Alloc&) { return vectors(stmt, lanes, pieces); },
                          [&](const Block&) { return vectors(stmt, lanes, pieces); },
                      },
                      stmt->value);
  }

  Stmt vectors(const Stmt& stmt, const For& lanes, const Pieces& pieces) {
    std::vector<Stmt> parts;
    if (pieces.whole > 0) {
      const std::string lane = name_for(lanes.variable);
      if (pieces.whole == 1) {
        parts.push_back(vector(stmt, lanes, {lane, widest, widest}, expr::variable(lane)));
      } else {
        const std::string count = names_.fresh(lanes.variable + "_o");
        add_range(ranges_, count, Expr(pieces.whole));
        const Stmt one = vector(stmt, lanes, {lane, widest, widest},
                                expr::variable(count) * widest + expr::variable(lane));
        ranges_.erase(count);
        if (one) parts.push_back(make(For{count, Expr(pieces.whole), ForKind::Unrolled, one}));
      }
    }
    if (pieces.last > 0) {
      const std::string lane = name_for(lanes.variable);
      parts.push_back(vector(parts.empty() ? stmt : renamed_copy(stmt, names_), lanes,
                             {lane, pieces.last, pieces.rest},
                             Expr(pieces.whole * widest) + expr::variable(lane)));
    }
    return loop::sequence(std::move(parts));
  }

  struct Vector {
    std::string lane;
    std::int64_t width, active;  // the others idle
  };

  // `stmt` for the lanes of one vector, which are `value` of the loop that is cut.
  Stmt vector(const Stmt& stmt, const For& cut, const Vector& vector, const Expr& value) {
    Stmt body = rewrite_exprs(stmt, [&](const Expr& e) {
      return expr::substitute(e, {{cut.variable, value}});
    });
    if (vector.active < vector.width)
      body = make(
          loop::If{expr::variable(vector.lane) < Expr(vector.active), std::move(body), nullptr});
    return simplified(make(For{vector.lane, Expr(vector.width), ForKind::Vectorized, body}),
                      ranges_);
  }

  // The first vector keeps the name of the loop.
  std::string name_for(const std::string& variable) {
    return std::exchange(own_name_is_taken_, true) ? names_.fresh(variable) : variable;
  }

  Names names_;
  pass::Report& report_;
  expr::Ranges ranges_;
  bool own_name_is_taken_ = false;
};

}  // namespace

Result<loop::Func> cut_vectors(const loop::Func& func, pass::Report& report) {
  return with_body(func, Cutting(func, report).run(func.body));
}

pass::Words cut_vectors_words() {
  return {{pass::Word::Kind::Rule, "cut",
           "A vectorized loop of a length that is no vector's becomes whole vectors and a smaller "
           "rest."},
          {pass::Word::Kind::Remark, "VECTOR_CUT",
           "A loop's lanes are whole vectors and a rest; how many lanes of the rest are idle "
           "stands beside it."}};
}

}  // namespace loopglass::passes
