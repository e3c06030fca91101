// Finding things by name: nodes, kernels, values and passes of the document, for the locator and
// for --select.
#pragma once

#include "views/document/document.h"

#include <vector>

namespace loopglass::views {

enum class FoundKind : std::uint8_t { Kernel, Node, Value, Step };
QString name(FoundKind kind);

struct Found {
  FoundKind kind;
  QString name;
  QString detail;       // "Conv", "3 operators", "float32[1x3x224x224]"
  std::uint32_t index;  // id of the node, kernel or value; number of the step
};

// The best `limit` matches of the words of `query`, all of which must occur in the name or detail:
// exact names first, then beginnings, then the rest.
std::vector<Found> look_up(const Document& document, const QString& query, std::size_t limit);

// Selects it, or goes to the step.
void go_to(Document& document, const Found& found);

// Selects the node, kernel or value of exactly this name; false when there is none.
bool select_named(Document& document, const QString& name);

}  // namespace loopglass::views
