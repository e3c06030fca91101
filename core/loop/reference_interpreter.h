// The plain interpreter: what a loop nest means, by definition. It walks the tree statement by
// statement and computes one scalar at a time, each rounded to its type, so that a reader can check
// it against func.h and expr.h. interpreter.h gives the same results many times faster, and is
// tested against this one.
//
// A watch sees every access in the order of execution: what dependences are read from.
#pragma once

#include "core/loop/func.h"
#include "core/tensor/tensor.h"

#include <functional>
#include <map>
#include <span>

namespace loopglass::loop {

using Variables = std::map<std::string, std::int64_t>;

struct AccessEvent {
  const std::string& buffer;
  std::int64_t element;  // its place in row-major order
  bool is_store;
  // Which memory: parameters are counted from 0, and each entry into an allocation is another.
  std::uint64_t memory;
  const StmtNode* statement;  // the store, or whose extent, binding, predicate or condition loads
  const Variables&
      variables;  // symbols, the loops around, iteration variables of the blocks around
};
using AccessWatch = std::function<void(const AccessEvent&)>;

// Arguments, symbols and errors as of interpret().
void interpret_plainly(const Func& func, std::span<Tensor> arguments,
                       const std::map<std::string, std::int64_t>& symbols = {},
                       const AccessWatch& watch = {});

}  // namespace loopglass::loop
