// A Func taken apart at its top: its loop nests one after another, and which buffers each of them
// touches. A few nests together are an excerpt, a Func of its own, which is scheduled without
// looking at all the others and put back. So a kernel of thousands of nests, the results of a
// Split say, is scheduled nest by nest, in time linear in their number.
//
// In an excerpt, a buffer that other nests touch as well is a parameter.
#pragma once

#include "core/loop/func.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace loopglass::schedule {

class NestList {
 public:
  using Positions = std::set<std::size_t>;

  explicit NestList(loop::Func func);

  std::size_t size() const { return nests_.size(); }
  const loop::Func& func() const { return func_; }  // its body as it was in the beginning
  // In program order.
  std::vector<std::string> blocks() const;
  // The block and the nest it stands in; CHECKs that there is one.
  const loop::Block& block(const std::string& name) const;
  std::size_t position_of(const std::string& block) const;
  bool has(const std::string& block) const { return position_.contains(block); }
  // A nest, with what was made for it.
  loop::Stmt statement(std::size_t position) const {
    return loop::sequence(nests_[position].statements);
  }
  // The blocks of a nest, in program order.
  const std::vector<const loop::Block*>& blocks_in(std::size_t position) const {
    return nests_[position].blocks;
  }
  const Positions& readers_of(const std::string& buffer) const;
  const Positions& writers_of(const std::string& buffer) const;
  const std::set<std::string>& read_in(std::size_t position) const {
    return nests_[position].reads;
  }
  const loop::Buffer* parameter(const std::string& buffer) const;
  // Whether no nest reads a buffer that it or a later one writes for the first time: nests may then
  // be looked at apart from one another.
  bool is_in_order() const;

  // What became of an excerpt. It may have been given a name that the rest of the Func, which it
  // does not see, has as well.
  enum class Outcome : std::uint8_t { Changed, Refused, NameTaken };
  // Lets `change` work on the nests at these positions; nothing has changed unless that is the
  // outcome.
  Outcome change(const Positions& positions,
                 const std::function<std::optional<loop::Func>(const loop::Func&)>& change);
  // With all its nests.
  loop::Func whole() const;

 private:
  struct Nest {
    std::vector<loop::Stmt> statements;  // none once it has moved into another
    std::set<std::string> reads, writes;
    std::vector<const loop::Block*> blocks;
  };

  void take_apart(Nest& nest, std::size_t position);
  void forget(std::size_t position);
  bool is_inside(const std::string& buffer, const Positions& positions) const;
  loop::Func excerpt(const Positions& positions) const;
  void put_back(const Positions& positions, loop::Func changed);
  void place(const Positions& positions, const loop::Stmt& body);
  std::size_t place_of(const loop::Stmt& stmt, const Positions& positions) const;
  loop::Func func_;
  std::vector<Nest> nests_;
  std::vector<std::optional<loop::Buffer>> allocations_;  // around all nests, outermost first
  std::unordered_map<std::string, std::size_t> parameter_, allocation_, position_;
  std::unordered_map<std::string, Positions> readers_, writers_;
  std::unordered_set<std::string> names_;  // of symbols, buffers, loops and blocks
};

}  // namespace loopglass::schedule
