#include "views/document/subgraph_links.h"

#include "core/ops/opaque.h"
#include "views/document/document.h"
#include "views/text.h"
#include "views/theme.h"

#include <QUrl>

namespace loopglass::views {
namespace {

const QString scheme = "subgraph:";

}  // namespace

QString subgraph_links(const graph::Node& node) {
  if (!is_opaque(node)) return {};
  QStringList links;
  for (const std::string& attribute : ops::opaque_of(node.attributes).subgraphs) {
    const QByteArray name = QUrl::toPercentEncoding(text(node.name + "." + attribute));
    links << QString("<a href='%1%2' style='color:%3'>%4</a>")
                 .arg(scheme, QString::fromLatin1(name), theme().accent.name(),
                      QObject::tr("Open its graph %1").arg(text(attribute).toHtmlEscaped()));
  }
  return links.isEmpty() ? QString() : "<p>" + links.join("<br>") + "</p>";
}

QString subgraph_links_of_kernel(const Document& document) {
  const auto plan = document.fusion().plan();
  const auto graph = document.history().last_graph();
  if (!plan || !graph || !document.kernels().group().valid()) return {};
  QString links;
  for (const graph::NodeId id : plan->group(document.kernels().group()).nodes)
    if (const graph::Node* node = graph->find(id)) links += subgraph_links(*node);
  return links;
}

bool follow_subgraph_link(Document& document, const QString& link) {
  if (!link.startsWith(scheme)) return false;
  const QString name = QUrl::fromPercentEncoding(link.mid(scheme.size()).toLatin1());
  QMetaObject::invokeMethod(
      &document, [&document, name] { document.open_subgraph(name.toStdString()); },
      Qt::QueuedConnection);
  return true;
}

}  // namespace loopglass::views
