// The four steps of the layered drawing, as one object that lives through a single call. The
// algorithm is told at the top of layered_core.cpp.
#pragma once

#include "views/layout/layered_core.h"

#include <vector>

namespace loopglass::layout {

struct Slot {
  double width = 0, height = 0;
  int layer = 0;
  int edge = -1;  // dummies: the edge they belong to
  double x = 0;   // centre
};

// A piece of an edge between neighbouring layers, seen from one end.
struct Link {
  std::uint32_t other;
  double dx, other_dx;  // where the edge meets this slot and the other, beside their centres
  double weight;
};

class LayeredDrawing {
 public:
  LayeredDrawing(const std::vector<FlatNode>& nodes, const std::vector<FlatEdge>& edges,
                 const Spacing& spacing, const Cancellation& cancellation)
      : nodes_(nodes), edges_(edges), spacing_(spacing), cancellation_(cancellation) {}

  Result<FlatLayout> draw() {
    assign_layers();
    make_slots();
    order_layers();
    if (cancellation_.requested()) return fail(Code::Cancelled, "the layout was cancelled");
    place_slots();
    if (cancellation_.requested()) return fail(Code::Cancelled, "the layout was cancelled");
    place_layers();
    return result();
  }

 private:
  void assign_layers();
  void make_slots();
  void link(std::uint32_t above, std::uint32_t below, double above_dx, double below_dx);
  void order_layers();
  void depth_first_order();
  void sort_by_barycentre(std::vector<std::uint32_t>& layer,
                          const std::vector<std::vector<Link>>& links);
  void number_places();
  std::int64_t crossings() const;
  void place_slots();
  void fit_layer(const std::vector<std::uint32_t>& layer, bool use_above, bool use_below);
  double gap(const Slot& left, const Slot& right) const;
  void place_layers();
  FlatLayout result() const;
  std::vector<Curve> curves_of(std::size_t edge) const;

  const std::vector<FlatNode>& nodes_;
  const std::vector<FlatEdge>& edges_;
  const Spacing& spacing_;
  const Cancellation& cancellation_;

  std::vector<int> layer_of_;
  std::vector<Slot> slots_;                         // nodes first, then dummies
  std::vector<std::vector<std::uint32_t>> chains_;  // dummies of each edge, from top to bottom
  std::vector<bool> cut_;
  std::vector<std::vector<Link>> above_, below_;
  std::vector<std::vector<std::uint32_t>> layers_;
  std::vector<std::size_t> place_;  // of a slot in its layer
  std::vector<double> layer_top_, layer_height_;
};

}  // namespace loopglass::layout
