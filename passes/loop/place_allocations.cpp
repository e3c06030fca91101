#include "passes/loop/place_allocations.h"

#include "core/expr/simplify.h"
#include "core/loop/flow.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/uses.h"
#include "core/loop/walk.h"
#include "core/support/overloaded.h"

#include <fmt/core.h>

#include <set>
#include <unordered_map>

namespace loopglass::passes {

using namespace loop;

namespace {

// Buffers, with what is noted on their allocations and the loops that these stand in.
struct Allocated {
  Buffer buffer;
  Annotations noted;
  std::set<std::string> loops;
};

class Taking {
 public:
  std::vector<Allocated> taken;  // inner ones before outer ones

  // Without allocations.
  Stmt operator()(const Stmt& stmt) {
    const For* node = as<For>(stmt);
    if (node) loops_.insert(node->variable);
    Stmt rest = stmt;
    if (const Alloc* alloc = as<Alloc>(stmt)) {
      rest = (*this)(alloc->body);
      taken.push_back({alloc->buffer, stmt->annotations, loops_});
    } else {
      rest = map_children(stmt, [this](const Stmt& child) { return (*this)(child); });
    }
    if (node) loops_.erase(node->variable);
    return rest;
  }

 private:
  std::set<std::string> loops_;  // around
};

// Which of many buffers each statement uses, each asked once: where there are hundreds, one after
// another is placed among all of them.
class Users {
 public:
  explicit Users(const std::vector<Allocated>& buffers) {
    for (const Allocated& each : buffers) numbers_.emplace(each.buffer.name, numbers_.size());
  }

  bool uses(const Stmt& stmt, const std::string& buffer) {
    return used_by(stmt)[numbers_.at(buffer)];
  }

 private:
  using Used = std::vector<bool>;  // by number
  struct Known {
    Stmt stmt;  // kept, so that no other comes to lie at its address
    Used used;
  };

  const Used& used_by(const Stmt& stmt) {
    if (const auto known = known_.find(stmt.get()); known != known_.end())
      return known->second.used;
    Used used(numbers_.size());
    loop::each_own_access(stmt, [&](const std::string& name) {
      if (const auto number = numbers_.find(name); number != numbers_.end())
        used[number->second] = true;
    });
    for (const Stmt& child : children(stmt)) {
      const Used& below = used_by(child);
      for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || below[i];
    }
    return known_.emplace(stmt.get(), Known{stmt, std::move(used)}).first->second.used;
  }

  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_map<const StmtNode*, Known> known_;
};

class Placement {
 public:
  Placement(const Allocated& allocated, Users& users, pass::Report& report)
      : allocated_(allocated), buffer_(allocated.buffer), users_(users), report_(report) {}

  Stmt place(const Stmt& stmt) {
    std::vector<Stmt> kids = children(stmt);
    std::vector<std::size_t> users;
    for (std::size_t i = 0; i < kids.size(); ++i)
      if (users_.uses(kids[i], buffer_.name)) users.push_back(i);
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
    return with_annotations(make(Alloc{buffer_, stmt}), allocated_.noted);
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
    // Where it stood inside of the loop, each iteration has had one of its own all along.
    if (allocated_.loops.contains(node.variable)) return true;
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

  const Allocated& allocated_;
  const Buffer& buffer_;
  Users& users_;
  pass::Report& report_;
  expr::Ranges ranges_;
};

}  // namespace

Result<loop::Func> place_allocations(const loop::Func& func, pass::Report& report) {
  Taking taking;
  Stmt body = func.body ? taking(func.body) : nullptr;
  Users users(taking.taken);
  for (const Allocated& allocated : taking.taken)
    if (body && users.uses(body, allocated.buffer.name))
      body = Placement(allocated, users, report).place(body);
  return with_body(func, body);
}

pass::Words place_allocations_words() {
  return {{pass::Word::Kind::Rule, "enter-loop",
           "A buffer is allocated inside of the loop that alone needs it."}};
}

}  // namespace loopglass::passes
