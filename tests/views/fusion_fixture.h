// The fusion pane with a sample open.
#pragma once

#include "tests/views/opened.h"
#include "views/fusion/decision_filter.h"
#include "views/fusion/decision_model.h"
#include "views/fusion/fusion_view.h"

#include <QTableView>

#include <gtest/gtest.h>

namespace loopglass::views {

class FusionViewTest : public testing::Test {
 protected:
  FusionViewTest() : opened_("encoder"), view_(&opened_.document) {
    view_.resize(900, 600);
    view_.show();
  }
  Document& document() { return opened_.document; }
  QAbstractItemModel& rows() { return *view_.decision_table()->model(); }
  const fusion::Decision& decision_at(int row) {
    const auto* filter = static_cast<const DecisionFilter*>(&rows());
    const auto* model = static_cast<const DecisionModel*>(filter->sourceModel());
    return *model->decision(filter->mapToSource(rows().index(row, 0)).row());
  }

  Opened opened_;
  FusionView view_;
};

}  // namespace loopglass::views
