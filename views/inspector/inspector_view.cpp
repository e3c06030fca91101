#include "views/inspector/inspector_view.h"

#include "views/document/debugger.h"
#include "views/document/stage_page.h"
#include "views/document/subgraph_links.h"
#include "views/inspector/describe.h"
#include "views/theme.h"

#include <QTextBrowser>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

namespace loopglass::views {

InspectorView::InspectorView(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), text_(new QTextBrowser) {
  text_->setObjectName("inspectorText");
  text_->setOpenLinks(false);
  text_->document()->setDocumentMargin(10);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new StagePage(document, Stage::Model, text_,
                                  tr("Select something to see what is known about it.")));

  connect(&document->selection(), &Selection::selectionChanged, this,
          &InspectorView::refresh_later);
  connect(&document->history(), &HistoryStage::historyChanged, this, &InspectorView::refresh_later);
  connect(&document->history(), &HistoryStage::stepChanged, this, &InspectorView::refresh_later);
  connect(&document->fusion(), &FusionStage::planChanged, this, &InspectorView::refresh_later);
  connect(&document->fusion(), &FusionStage::guessingChanged, this, &InspectorView::refresh_later);
  connect(&document->debugger(), &Debugger::nodesChanged, this, &InspectorView::refresh_later);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &InspectorView::refresh_later);
  connect(&document->benchmark(), &BenchmarkStage::benchmarkChanged, this,
          &InspectorView::refresh_later);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &InspectorView::refresh_later);
  connect(text_, &QTextBrowser::anchorClicked, this, &InspectorView::follow_link);
}

// One change of the document often comes as several signals: one refresh answers them all.
void InspectorView::refresh_later() {
  if (refresh_pending_) return;
  refresh_pending_ = true;
  QTimer::singleShot(0, this, &InspectorView::refresh);
}

void InspectorView::refresh() {
  refresh_pending_ = false;
  text_->setHtml(describe_selection(*document_));
}

void InspectorView::follow_link(const QUrl& url) {
  if (follow_subgraph_link(*document_, url.toString(QUrl::FullyEncoded))) return;
  if (url.scheme() == "place") {
    const auto history = document_->history().recorded();
    if (!history) return;
    if (const auto place = pass::parse_position(url.path().toStdString(), *history))
      document_->history().set_position(*place);
    return;
  }
  const std::uint32_t id = url.path().toUInt();
  Selection& selection = document_->selection();
  if (url.scheme() == "node") selection.select_node(graph::NodeId{id});
  else if (url.scheme() == "value") selection.select_value(graph::ValueId{id});
  else if (url.scheme() == "group") selection.select_group(fusion::GroupId{id});
}

}  // namespace loopglass::views
