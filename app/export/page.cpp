#include "app/export/page.h"

#include "app/common/export_options.h"
#include "app/export/page_graphs.h"
#include "app/export/page_kernels.h"
#include "core/codegen/kernel.h"
#include "core/support/check.h"
#include "core/support/counted.h"
#include "core/support/whole_file.h"
#include "views/canvas/item_style.h"
#include "views/document/first_kernel.h"
#include "views/theme_scope.h"

#include <QCryptographicHash>
#include <QFile>
#include <QString>

#include <nlohmann/json.hpp>

#include <map>

// Resources of a static library are registered by hand, outside of namespaces.
static void register_page_resources() { Q_INIT_RESOURCE(page); }

namespace loopglass::app {
namespace {

using Json = nlohmann::json;

std::string source(const char* name) {
  static const bool registered = (register_page_resources(), true);
  QFile file(QString(":/page/") + name);
  CHECK(registered && file.open(QIODevice::ReadOnly), "a source of the page is not in the program");
  return file.readAll().toStdString();
}

// One scope for all, in the order in which they use one another.
std::string script() {
  std::string text = "'use strict';\n";
  for (const char* part : {"base.js", "relations.js", "graph.js", "code.js", "cards.js", "main.js"})
    text += source(part);
  return text;
}

std::string variables(const views::Theme& theme) {
  std::string text;
  const auto set = [&](const std::string& name, const QColor& color) {
    text += fmt::format("--{}:{};", name, color.name().toStdString());
  };
  set("window", theme.window);
  set("surface", theme.surface);
  set("raised", theme.raised);
  set("border", theme.border);
  set("text", theme.text);
  set("muted", theme.muted);
  set("accent", theme.accent);
  set("selected", theme.selected);
  set("related", theme.related);
  set("mark", theme.mark);
  set("edge", theme.edge);
  set("good", theme.good);
  set("warning", theme.warning);
  set("error", theme.error);
  for (int i = 0; i < page_group_colours; ++i)
    set(fmt::format("group-{}", i), theme.group(static_cast<std::size_t>(i)));
  for (int i = 0; i <= static_cast<int>(ops::Family::Opaque); ++i) {
    set(fmt::format("family-{}", i), theme.family(static_cast<ops::Family>(i)));
    set(fmt::format("on-family-{}", i), theme.family_text(static_cast<ops::Family>(i)));
  }
  return text;
}

std::string style() {
  return fmt::format(":root{{{}}}\n@media (prefers-color-scheme: dark){{:root{{{}}}}}\n{}",
                     variables(views::theme_of(views::Tone::Light)),
                     variables(views::theme_of(views::Tone::Dark)), source("page.css"));
}

// What the policy calls an element by: nothing runs, and nothing is in force, but what we wrote.
std::string fingerprint(const std::string& text) {
  const QByteArray hash =
      QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256);
  return "'sha256-" + hash.toBase64().toStdString() + "'";
}

// JSON inside an element of HTML: no name can end it. A '<' stands in strings only.
std::string in_html(const std::string& text) {
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text)
    if (c == '<') safe += "\\u003c";
    else safe += c;
  return safe;
}

// Puts values where the template names them, @name@; values are not looked into.
std::string filled(const std::string& pattern, const std::map<std::string, std::string>& values) {
  std::string text;
  std::size_t at = 0;
  for (std::size_t mark; (mark = pattern.find('@', at)) != std::string::npos;) {
    const std::size_t end = pattern.find('@', mark + 1);
    CHECK(end != std::string::npos, "a name without its end in the page's template");
    text += pattern.substr(at, mark - at) + values.at(pattern.substr(mark + 1, end - mark - 1));
    at = end + 1;
  }
  return text + pattern.substr(at);
}

std::string escaped(const std::string& text) {
  return QString::fromStdString(text).toHtmlEscaped().toStdString();
}

Json describe(Session& session, const PageRequest& request, const fusion::Plan& plan,
              const graph::Graph& last) {
  const std::string processor = codegen::host_description();
  Json facts = Json::array({fmt::format("{} in {}", counted(last.nodes().size(), "operator"),
                                        counted(plan.groups.size(), "kernel")),
                            "fused by strategy " + plan.strategy,
                            "for " + processor.substr(0, processor.find(' '))});
  if (request.report)
    facts.push_back(fmt::format("{:.3f} ms on {}{}{}", request.report->network.median_ms,
                                counted(request.report->threads, "thread"),
                                request.measured.empty() ? "" : ", ", request.measured));
  facts.push_back("Loopglass " LOOPGLASS_VERSION);
  Json families = Json::array(), reasons = Json::object();
  for (int i = 0; i <= static_cast<int>(ops::Family::Opaque); ++i)
    families.push_back(ops::name(static_cast<ops::Family>(i)));
  for (std::size_t i = 0; i < fusion::reason_count; ++i) {
    const auto reason = static_cast<fusion::Reason>(i);
    reasons[std::string(fusion::name(reason))] = fusion::explanation(reason);
  }
  const fusion::GroupId first = views::first_interesting_group(plan, last);
  return {{"kernel", first.valid() ? static_cast<int>(first.value) : -1},
          {"title", request.title.empty() ? session.model_name() : request.title},
          {"facts", facts},
          {"families", families},
          {"reasons", reasons},
          {"groupColours", page_group_colours},
          {"bandHeight", views::band_height()},
          {"lineHeight", views::detail_height()}};
}

}  // namespace

Result<std::string> make_page(Session& session, const PageRequest& request,
                              const Progress& progress, const Cancellation& cancellation) {
  const views::ThemeScope light(views::Tone::Light);  // its fonts are both themes'
  const auto history = TRY(session.graph_history({}, cancellation));
  const auto plan = TRY(session.plan());
  const graph::Graph& last = history->last();
  const Json about = describe(session, request, *plan, last);
  const std::string graphs = TRY(page_graphs(session, history, plan, request.place, cancellation));
  const std::string kernels =
      TRY(page_kernels(session, request.report.get(), progress, cancellation));
  // One object of all three.
  std::string data = about.dump(-1, ' ', false, Json::error_handler_t::replace);
  data.back() = ',';
  data.append(graphs, 1);
  data.back() = ',';
  data += "\"kernels\":" + kernels + "}";
  const std::string style_text = style(), script_text = script();
  return filled(
      source("page.html"),
      {{"policy", fmt::format("default-src 'none'; img-src data:; style-src {}; script-src {}",
                              fingerprint(style_text), fingerprint(script_text))},
       {"generator", "Loopglass " LOOPGLASS_VERSION},
       {"title", escaped(about["title"].get<std::string>()) + " — Loopglass"},
       {"style", style_text},
       {"session", in_html(data)},
       {"script", script_text}});
}

Result<void> write_page(Session& session, const PageRequest& request, const std::string& file,
                        const Progress& progress, const Cancellation& cancellation) {
  WholeFile whole = TRY(WholeFile::create(file, exported_file));  // before the work, not after it
  TRY_VOID(whole.write(TRY(make_page(session, request, progress, cancellation))));
  return whole.put_in_place();
}

}  // namespace loopglass::app
