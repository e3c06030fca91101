// The card of an edge, beneath its verdict: loops, kinds, path, bytes and the steps that decided
// it. What cards need of a plan and of its kernels is found in the background and kept: from then
// on a card is there at once.
#pragma once

#include "core/fusion/edge_card.h"
#include "views/document/document.h"

#include <QWidget>

#include <map>

class QBoxLayout;
class QCheckBox;
class QLabel;
class QListWidget;

namespace loopglass::views {

class ByteBars;
class KindLadder;
class NestDrawing;
class PathStrip;

class EdgeCardView : public QWidget {
  Q_OBJECT

 public:
  explicit EdgeCardView(Document* document, QWidget* parent = nullptr);

  void show_edge(const fusion::Edge& edge, graph::ValueId value);
  void clear();
  const std::optional<fusion::EdgeCard>& card() const {
    return card_;
  }  // nothing until it is there

 signals:
  void stepWanted(std::size_t event);  // of the told plan

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_loops();
  QWidget* make_path();
  QWidget* make_kinds();
  QWidget* make_bytes();
  QWidget* make_steps();
  // Of the plan there is; null: it says nothing about the edge.
  const fusion::Decision* decision() const;
  std::size_t index_of(const fusion::Decision& decision) const;
  bool is_ready(const fusion::Decision& decision) const;
  void derive();
  void show_card();
  void show_steps();
  void show_path_in_graph(bool shown);
  void notice_moment();

  Document* document_;
  using Cards = std::shared_ptr<const fusion::EdgeCards>;
  Cards cards_;
  // The kernels of its plan that were looked at.
  std::map<fusion::GroupId, Result<fusion::KernelNests>> nests_of_;
  // What would fuse its edges that were looked at, by their decisions; empty: nothing is known of
  // an end.
  std::map<std::size_t, std::string> changes_;
  fusion::Edge edge_;
  graph::ValueId value_;
  std::optional<fusion::EdgeCard> card_;
  std::optional<PlanMoment> path_moment_;  // where the path is shown in the graph

  QLabel* note_;    // why there is no card
  QLabel* change_;  // that would fuse it
  QWidget* content_;
  QBoxLayout* beside_;  // kinds and bytes
  NestDrawing* nests_;
  QLabel *nests_words_, *path_words_, *bytes_words_, *steps_words_;
  PathStrip* path_;
  QCheckBox* in_graph_;
  KindLadder* kinds_;
  ByteBars* bytes_;
  QListWidget* steps_;
};

}  // namespace loopglass::views
