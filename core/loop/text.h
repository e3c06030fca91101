// The loop IR's text form, which parses back, with a map from lines to the entities on them.
//
//   func conv_relu(
//       X: float32[1, 3, 8, 8] input,
//       W: float32[4, 3, 3, 3] constant,
//       Y: float32[1, 4, 6, 6] output) {
//     alloc conv: float32[1, 4, 6, 6] workspace
//     for n in 1 {
//       for k in 4 parallel {
//         ...
//         block conv(i0 = n, i1 = k, reduce r0 = c, i2 = yo * 4 + yi in 6, ...) by sum from 3 {
//           where i2 < 6
//           reads X[i0, r0, i2 + r1, i3 + r2], W[i1, r0, r1, r2]
//           writes conv[i0, i1, i2, i3]
//           init { conv[i0, i1, i2, i3] = 0.0f }
//           conv[i0, i1, i2, i3] = conv[i0, i1, i2, i3] + X[i0, r0, i2 + r1, i3 + r2] * W[i1, r0,
//           r1, r2]
//         }
//
// Symbols stand behind the name: func f[n](...). An allocation lives to the end of the list it
// stands in, or only within braces where more follows. A region is points, or `min : extent`. The
// extent of a block's variable is told (`in 6`) where it is not that of the loop it is bound to.
// `from` lists an origin; `packed [4, 3] by (d1, d0)` behind a constant is its Packing.
#pragma once

#include "core/loop/source_lines.h"

#include <unordered_map>

namespace loopglass::loop {

// One printed line, 1-based in Listing::lines. A statement is the lines from `first` to `last`: of
// the line that opens it `first` is the line itself, of its closing brace `last` is.
struct Line {
  std::string text;
  int indent = 0;      // nesting depth
  std::string entity;  // loop variable, block or buffer the line introduces; else empty
  Origin origin;       // of this line alone; a store without one of its own has its block's
  int first = 0, last = 0;
};

// Takes memory and time in proportion to its lines, however deep they are nested.
struct Listing {
  std::vector<Line> lines;
  std::string text() const;
  // The union of the origins of everything in the statement that the line (1-based) opens or
  // closes.
  Origin origin_of(int line) const;
};

// `lines_of`, if given, receives the line number of each statement (keyed by node address).
Listing print(const Func& func, std::unordered_map<const StmtNode*, int>* lines_of = nullptr);
std::string to_text(const Func& func);
// `lines`, if given, receives where everything stands.
Result<Func> parse(std::string_view text, SourceLines* lines = nullptr);

}  // namespace loopglass::loop
