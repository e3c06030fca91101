#include "app/common/family_style.h"

namespace loopglass::app {

Style style_of(ops::Family family) {
  switch (family) {
    case ops::Family::Convolution:
    case ops::Family::MatrixProduct:
    case ops::Family::Recurrent: return Style::Product;
    case ops::Family::Pooling:
    case ops::Family::Normalisation:
    case ops::Family::Reduction:
    case ops::Family::Loss: return Style::Reduction;
    case ops::Family::Movement:
    case ops::Family::Indexing:
    case ops::Family::Resize:
    case ops::Family::Generator: return Style::Movement;
    case ops::Family::Opaque: return Style::Faint;
    case ops::Family::Elementwise:
    case ops::Family::Activation:
    case ops::Family::Comparison:
    case ops::Family::Quantisation:
    case ops::Family::Kernel: return Style::Plain;
  }
  __builtin_unreachable();
}

Style style_of(const fusion::Group& group, const graph::Graph& graph) {
  return style_of(graph.node(group.anchor).op->family);
}

}  // namespace loopglass::app
