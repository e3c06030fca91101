// Where an access of a nest goes: one number, of elements from the beginning of its buffer, as a
// sum of loop variables and of what else its indices are made of.
#pragma once

#include "core/expr/simplify.h"
#include "core/loop/func.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::roofline {

struct Address {
  // A loop variable, or an expression that is not linear, so many times.
  struct Term {
    expr::Expr atom;
    std::int64_t factor = 0;
  };
  std::int64_t constant = 0;
  std::map<std::string, Term> terms;  // by the text of the atom; no factor is 0

  void add(const expr::Expr& e, std::int64_t factor);
  bool uses(const std::string& variable) const;
  std::string text() const;  // the same of addresses that are the same
};
Address address_of(const std::vector<expr::Expr>& indices, const loop::Buffer& buffer,
                   const expr::Ranges& ranges);

// Elements of a buffer that accesses touch while some loops turn: boxes of rows in any strides.
class Touched {
 public:
  // `turning`: extents of the loops that turn; all other variables stand still.
  void add(const Address& address, const std::map<std::string, std::int64_t>& turning);
  // Of the lines that they lie in, at most; lines that several of the boxes touch are counted once
  // where one box continues another.
  double bytes(const loop::Buffer& buffer) const;

 private:
  struct Box {
    std::int64_t constant = 0;
    std::map<std::string, std::int64_t> standing;  // factors of what stands still
    // From one element to the next, and how many: of steps of one element up.
    std::map<std::int64_t, std::int64_t> steps;
    double points = 1;  // at most
  };
  static bool join(Box& box, const Box& other);
  static Box packed(Box box);

  std::vector<Box> boxes_;
};

}  // namespace loopglass::roofline
