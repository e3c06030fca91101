// Kernels under the roofs of the machine: GFLOP/s against FLOPs for each byte that a level of
// memory hands on, both logarithmic. The area of a dot is what the kernel takes of the time; its
// colour is what binds it; where a kernel was judged more than once, a line leads from its older
// dots to the newest.
#pragma once

#include "core/network_roofline.h"

#include <QColor>
#include <QPointF>
#include <QRectF>

#include <vector>

class QPainter;

namespace loopglass::views {

// What is drawn.
struct RooflinePicture {
  roofline::Roofs roofs;
  std::size_t level = 1;  // whose bytes count, of roofs.levels
  std::vector<KernelVerdict> kernels;
  std::vector<std::vector<roofline::Verdict>> earlier;  // of each kernel, the oldest first
  int selected = -1;                                    // of kernels
};

QColor color_of(roofline::Bound bound);
// Whether the roof over it is that of whole numbers; its dot is a square then.
bool is_whole(const KernelVerdict& kernel);
// The kernel that is selected, or the only one, if it has a trail; else null.
const KernelVerdict* trailed(const RooflinePicture& picture);
// Bytes that the level hands on in one run.
double bytes_of(const roofline::Traffic& traffic, std::size_t level);

// Where a verdict stands; x is infinite where the level hands on nothing.
struct RooflinePlace {
  double flops_per_byte, gflops;
};
RooflinePlace place_of(const roofline::Verdict& verdict, std::size_t level);

// All of it within the area, in the theme's colours, with a legend of what binds.
void paint_roofline(QPainter& painter, const QRectF& area, const RooflinePicture& picture);

// Of the picture's kernels the one whose dot is there, when it is painted within the area; -1:
// none.
int kernel_at(const RooflinePicture& picture, const QRectF& area, const QPointF& position);

}  // namespace loopglass::views
