#include "views/inspector/page.h"

#include "views/theme.h"

namespace loopglass::views {

void Page::title(const std::string& text, const QString& chip_html) {
  body_ += QString(
               "<p style='font-size:%3pt;font-weight:600;margin:0 0 4px 0'>%1</p><p "
               "style='margin:0 0 6px 0'>%2</p>")
               .arg(escape(text), chip_html, QString::number(theme().heading_font().pointSizeF()));
}

void Page::heading(const QString& text) {
  body_ += QString("<p style='color:%1;font-weight:600;margin:10px 0 3px 0'>%2</p>")
               .arg(theme().muted.name(), escape(text));
}

void Page::paragraph(const QString& html) { body_ += "<p style='margin:3px 0'>" + html + "</p>"; }

void Page::preformatted(const std::string& text) {
  body_ += QString("<pre style=\"font-family:'%1';margin:3px 0;white-space:pre-wrap\">%2</pre>")
               .arg(theme().code_font().families().join("','"), escape(text));
}

void Page::open_table() { body_ += "<table cellspacing='0' cellpadding='2'>"; }
void Page::row(const QString& name_html, const QString& value_html) {
  body_ += QString("<tr><td style='color:%1;padding-right:10px'>%2</td><td>%3</td></tr>")
               .arg(theme().muted.name(), name_html, value_html);
}
void Page::close_table() { body_ += "</table>"; }

void Page::open_list() { body_ += "<ul style='margin:2px 0 2px -22px'>"; }
void Page::item(const QString& html) { body_ += "<li>" + html + "</li>"; }
void Page::close_list() { body_ += "</ul>"; }

QString Page::html() const { return body_; }

QString Page::link(const QString& target, const std::string& text) {
  return QString("<a href='%1' style='color:%2;text-decoration:none'>%3</a>")
      .arg(target, theme().accent.name(), escape(text));
}

QString Page::code(const std::string& text) {
  return QString("<span style=\"font-family:'%1'\">%2</span>")
      .arg(theme().code_font().families().join("','"), escape(text));
}

QString Page::muted(const std::string& text) {
  return colored(theme().muted, QString::fromStdString(text));
}

QString Page::colored(const QColor& color, const QString& text) {
  return QString("<span style='color:%1'>%2</span>").arg(color.name(), escape(text));
}

QString Page::chip(const QColor& fill, const QColor& text_color, const std::string& text) {
  return QString("<span style='background-color:%1;color:%2'>&nbsp;%3&nbsp;</span>")
      .arg(fill.name(), text_color.name(), escape(text));
}

}  // namespace loopglass::views
