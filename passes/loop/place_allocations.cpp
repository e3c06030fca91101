#include "passes/loop/place_allocations.h"

#include "core/expr/simplify.h"
#include "core/loop/flow.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/uses.h"
#include "core/loop/walk.h"
#include "core/support/overloaded.h"

#include <fmt/core.h>

namespace loopglass::passes {

using namespace loop;

namespace {

class Placement {
 public:
  Placement(const Buffer& buffer, const Annotations& noted, pass::Report& report)
      : buffer_(buffer), noted_(noted), report_(report) {}

  Stmt place(const Stmt& stmt) {
    std::vector<Stmt> kids = children(stmt);
    std::vector<std::size_t> users;
    for (std::size_t i = 0; i < kids.size(); ++i)
      if (loop::uses(kids[i], buffer_.name)) users.push_back(i);
    if (users.size() == 1 && may_enter(stmt)) {
      kids[users[0]] = place(kids[users[0]]);
      return with_children(stmt, kids);
    }
    if (as<loop::Seq>(stmt) && !users.empty())
      return around_part(kids, users.front(), users.back());
    return around(stmt);
  }

 private:
  Stmt around(const Stmt& stmt) const {
    return with_annotations(make(Alloc{buffer_, stmt}), noted_);
  }

  bool may_enter(const Stmt& stmt) {
    return std::visit(
        Overloaded{
            [&](const For& node) { return may_enter_loop(node); },
            [](const Block&) { return false; },
            [](const loop::Store&) { return false; },
            [](const loop::Prefetch&) { return false; },
            // The condition itself may read the buffer.
            [&](const loop::If& node) { return !loop::loads(node.condition, buffer_.name); },
            [](const Alloc&) { return true; },
            [](const loop::Seq&) { return true; },
        },
        stmt->value);
  }

  bool may_enter_loop(const For& node) {
    const bool in_sequence =
        node.kind == loop::ForKind::Serial || node.kind == loop::ForKind::Parallel;
    if (!in_sequence || loop::loads(node.extent, buffer_.name)) return false;
    add_range(ranges_, node.variable, node.extent);
    if (flows_inside(node.body, buffer_, ranges_)) {
      report_.rewrite(
          {"enter-loop",
           {},
           {},
           fmt::format("{} lives in one iteration of {}", buffer_.name, node.variable)});
      return true;
    }
    return false;
  }

  Stmt around_part(const std::vector<Stmt>& kids, std::size_t first, std::size_t last) const {
    const auto at = [&](std::size_t i) { return kids.begin() + static_cast<std::ptrdiff_t>(i); };
    std::vector<Stmt> result(kids.begin(), at(first));
    result.push_back(around(loop::sequence({at(first), at(last + 1)})));
    result.insert(result.end(), at(last + 1), kids.end());
    return loop::sequence(std::move(result));
  }

  const Buffer& buffer_;
  const Annotations& noted_;  // of its allocation
  pass::Report& report_;
  expr::Ranges ranges_;
};

}  // namespace

Result<loop::Func> place_allocations(const loop::Func& func, pass::Report& report) {
  std::vector<std::pair<Buffer, Annotations>> buffers;
  Stmt body = rewrite(func.body, [&](const Stmt& stmt) -> Stmt {
    const Alloc* alloc = as<Alloc>(stmt);
    if (!alloc) return stmt;
    buffers.emplace_back(alloc->buffer, stmt->annotations);
    return alloc->body;
  });
  for (const auto& [buffer, noted] : buffers)
    if (body && loop::uses(body, buffer.name)) body = Placement(buffer, noted, report).place(body);
  return with_body(func, body);
}

pass::Words place_allocations_words() {
  return {{pass::Word::Kind::Rule, "enter-loop",
           "A buffer is allocated inside of the loop that alone needs it."}};
}

}  // namespace loopglass::passes
