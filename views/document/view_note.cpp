#include "views/document/view_note.h"

#include "views/theme.h"

namespace loopglass::views {

ViewNote::ViewNote(Document* document, QWidget* parent) : QLabel(parent), document_(document) {
  setObjectName("viewNote");
  setWordWrap(true);
  setMargin(6);
  setTextFormat(Qt::RichText);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &ViewNote::follow);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &ViewNote::follow);
  follow();
}

void ViewNote::follow() {
  const auto kernel = document_->kernels().kernel();
  setVisible(kernel && kernel->stages->is_view);
  setText(QString("<span style='color:%1'>⚠ %2</span>")
              .arg(theme().warning.name(), tr("Never run: what this kernel gives is written, or "
                                              "lies, where it belongs already (see "
                                              "Memory). This is what a copy would be.")));
}

}  // namespace loopglass::views
