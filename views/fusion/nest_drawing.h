// Loop nests in miniature: a bar for each loop, one inside the other, by how it walks over the
// tensor of an edge.
#pragma once

#include "core/fusion/edge_card.h"
#include "views/fusion/card_drawing.h"

#include <vector>

namespace loopglass::views {

class NestDrawing : public CardDrawing {
  Q_OBJECT

 public:
  using CardDrawing::CardDrawing;

  // Nothing where the nests are not known.
  void show_nests(const fusion::EdgeCard& card, const graph::Graph& graph);

 protected:
  int draw(QPainter* painter, int width) const override;
  bool event(QEvent* event) override;  // tool tips

 private:
  // The nests of one operator, or the one of both.
  struct Block {
    QString title, words;
    std::vector<fusion::SketchedNest> nests;  // those to be drawn
    std::size_t others = 0;
  };
  struct Bar {
    QRect place;
    fusion::SketchedLoop loop;
  };

  Block block_of(const QString& title, const QString& words,
                 const std::vector<fusion::SketchedNest>& nests) const;
  int draw_block(QPainter* painter, const Block& block, const QRect& room) const;
  void draw_bar(QPainter& painter, const fusion::SketchedLoop& loop, const QRect& place) const;
  int draw_legend(QPainter* painter, int width, int top) const;

  std::vector<Block> blocks_;
  mutable std::vector<Bar> bars_;  // as they were painted last
};

}  // namespace loopglass::views
