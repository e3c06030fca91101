#include "core/onnx/shape_search.h"

#include <algorithm>

namespace loopglass::onnx {

namespace {

// What extents of each kind usually are, likeliest first.
const std::vector<std::int64_t> picture_sides{224, 256, 320, 416, 512, 640, 32,  28,
                                              64,  96,  112, 128, 192, 299, 331, 384,
                                              448, 300, 600, 800, 48,  16,  8,   1024};
const std::vector<std::int64_t> channels{3, 1, 4, 2, 16, 32, 64};
// 1 comes last: it fits much by being broadcast.
const std::vector<std::int64_t> lengths{128, 64, 32, 16,  8,   256, 384, 512, 2,    3,
                                        4,   5,  6,  7,   10,  12,  20,  24,  48,   50,
                                        77,  80, 96, 100, 192, 197, 784, 768, 1024, 1};
const std::vector<std::int64_t> batches{1, 2, 4, 8, 16, 32};

enum class Kind { Batch, Channels, Side, Length };

Kind kind_of(std::size_t axis, std::size_t rank) {
  if (axis == 0) return Kind::Batch;
  if (rank != 4) return Kind::Length;
  return axis == 1 ? Kind::Channels : Kind::Side;
}

const std::vector<std::int64_t>& usual(Kind kind) {
  switch (kind) {
    case Kind::Batch: return batches;
    case Kind::Channels: return channels;
    case Kind::Side: return picture_sides;
    case Kind::Length: break;
  }
  return lengths;
}

class Search {
 public:
  Search(const std::vector<Signature>& inputs, const BoundShapes& bound, const Fits& fits,
         int most_trials)
      : inputs_(inputs), start_(bound.symbols), fits_(fits), left_(most_trials) {
    for (const Signature& input : inputs)
      for (std::size_t axis = 0; axis < input.shape.size(); ++axis)
        if (const std::string& symbol = input.shape[axis].symbol; !symbol.empty())
          kinds_.emplace(symbol, kind_of(axis, input.shape.size()));
  }

  // All of a kind alike (a square picture of so many channels, sequences of one length), then one
  // dimension alone, then one beside another that is 1, as the batch of a recurrent state is, which
  // does not stand first.
  std::optional<std::map<std::string, Shape>> operator()() {
    for (const Kind kind : {Kind::Side, Kind::Length})
      for (const std::int64_t extent : usual(kind))
        if (tries(with(start_, kind, extent))) return found_;
    for (const std::int64_t channel : usual(Kind::Channels))
      for (const std::int64_t side : usual(Kind::Side))
        if (tries(with(with(start_, Kind::Channels, channel), Kind::Side, side))) return found_;
    for (const auto& [symbol, kind] : kinds_)
      for (const std::int64_t extent : usual(kind)) {
        Symbols changed = start_;
        changed[symbol] = extent;
        if (tries(changed)) return found_;
      }
    for (const auto& [batch, batch_kind] : kinds_)
      for (const auto& [symbol, kind] : kinds_)
        for (const std::int64_t extent : usual(kind)) {
          if (batch_kind != Kind::Length || symbol == batch) break;
          Symbols changed = start_;
          changed[batch] = 1;
          changed[symbol] = extent;
          if (tries(changed)) return found_;
        }
    return std::nullopt;
  }

 private:
  Symbols with(Symbols symbols, Kind kind, std::int64_t extent) const {
    for (const auto& [symbol, of_kind] : kinds_)
      if (of_kind == kind) symbols[symbol] = extent;
    return symbols;
  }

  bool tries(const Symbols& symbols) {
    if (symbols == start_ || left_ <= 0 || !tried_.insert(symbols).second) return false;
    --left_;
    std::map<std::string, Shape> shapes = open_shapes(inputs_, symbols);
    if (!fits_(shapes)) return false;
    found_ = std::move(shapes);
    return true;
  }

  const std::vector<Signature>& inputs_;
  const Symbols start_;
  const Fits& fits_;
  int left_;
  std::map<std::string, Kind> kinds_;
  std::set<Symbols> tried_;
  std::map<std::string, Shape> found_;
};

}  // namespace

std::optional<std::map<std::string, Shape>> find_fitting_shapes(
    const std::vector<Signature>& inputs, const BoundShapes& bound, const Fits& fits,
    int most_trials) {
  return Search(inputs, bound, fits, most_trials)();
}

}  // namespace loopglass::onnx
