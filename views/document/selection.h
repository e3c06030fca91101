// The linked selection: one thing is selected in one pane, and every pane asks what of its own is
// related to it. Relations between neighbouring levels are composed here: ONNX node, graph node,
// fused group, loop-nest line, LLVM line, assembly line.
//
// A selected node is carried through the steps of the history by its id; where the id does not
// exist, the nodes that share its ONNX origin stand in for it.
#pragma once

#include "core/fusion/plan.h"
#include "core/graph/graph.h"

#include <QObject>

#include <array>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace loopglass::views {

class Document;

enum class TextPane : std::uint8_t { Loops, Llvm, Assembly };

// What is selected. Lines are 1-based and refer to the listing its pane shows now.
struct SelectedNode {
  graph::NodePtr node;
  friend bool operator==(const SelectedNode&, const SelectedNode&) = default;
};
struct SelectedValue {
  graph::ValuePtr value;
  friend bool operator==(const SelectedValue&, const SelectedValue&) = default;
};
struct SelectedGroup {
  fusion::GroupId group;
  friend bool operator==(const SelectedGroup&, const SelectedGroup&) = default;
};
struct SelectedLine {
  TextPane pane;
  int line;
  friend bool operator==(const SelectedLine&, const SelectedLine&) = default;
};
using Selected =
    std::variant<std::monostate, SelectedNode, SelectedValue, SelectedGroup, SelectedLine>;

// Several operators that are one part of the network, as it is folded.
struct SelectedPart {
  std::string title;  // "layer1.0"
  int blocks = 1;     // that it consists of, alike operator for operator
  friend bool operator==(const SelectedPart&, const SelectedPart&) = default;
};

// One function per kind of selection: std::visit(Overloaded{...}, selection.current()).
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

class Selection : public QObject {
  Q_OBJECT

 public:
  explicit Selection(const Document* document);

  const Selected& current() const { return current_; }
  // Where several nodes were selected all of them, the one in current() before all; else none.
  const std::vector<graph::NodePtr>& several() const { return lit_; }
  // What these are together; nullopt: chosen one by one.
  const std::optional<SelectedPart>& part() const { return part_; }
  bool empty() const { return std::holds_alternative<std::monostate>(current_); }

  // Ids are those of the graph at the document's current step; an id found only in another step is
  // taken from there. Unknown ids clear the selection.
  void select_node(graph::NodeId id);
  // The first is selected, the others are lit as related to it until something else is selected.
  void select_nodes(const std::vector<graph::NodeId>& ids, std::optional<SelectedPart> part = {});
  void select_value(graph::ValueId id);
  void select_group(fusion::GroupId id);
  void select_line(TextPane pane, int line);
  void select(Selected selected);  // as it was once read from current()
  void clear();
  // Asks panes to show what is selected so that it can be read, wherever they are.
  void reveal() { emit revealWanted(); }

  // What is related to the selection, for each kind of pane. Nodes are of the graph at the current
  // step; lines are sorted, 1-based, of the listing shown now.
  const std::set<graph::NodeId>& highlighted_nodes() const { return nodes_; }
  const std::set<graph::ValueId>& highlighted_values() const { return values_; }
  const std::set<fusion::GroupId>& highlighted_groups() const { return groups_; }
  const std::vector<int>& highlighted_lines(TextPane pane) const {
    return lines_[static_cast<std::size_t>(pane)];
  }
  // The node to centre on, or to describe: the selected one, or the first related one; may be null.
  graph::NodePtr primary_node() const;
  fusion::GroupId primary_group() const;  // invalid: none

  // Derives the related sets again after the document's data changed.
  void refresh();
  // Of other passes than those that made what is selected: what goes by its name is selected
  // instead. Says nothing until refresh().
  void follow_history();
  // The listing of a pane was replaced; its selected line, if any, is now `line` (0: gone). Says
  // nothing until refresh().
  void move_line(TextPane pane, int line);

 signals:
  void selectionChanged();
  void revealWanted();
  // The selection belongs to this group, whose kernel the text panes should show.
  void groupWanted(fusion::GroupId group);

 private:
  void select(Selected selected, std::vector<graph::NodePtr> lit, std::optional<SelectedPart> part);
  void relate();
  void relate_nodes(const std::vector<graph::NodePtr>& nodes);
  void relate_line(const SelectedLine& selected);
  // Fills the panes of machine code from lines of the lowered loop nest.
  void relate_machine_code(const std::set<int>& lowered_lines);

  const Document* document_;
  Selected current_;
  std::vector<graph::NodePtr> lit_;  // beside what is related to the selection
  std::optional<SelectedPart> part_;
  std::set<graph::NodeId> nodes_;
  std::set<graph::ValueId> values_;
  std::set<fusion::GroupId> groups_;
  std::array<std::vector<int>, 3> lines_;
};

}  // namespace loopglass::views
