#include "io/page_assets.h"

#include "io/svg_parts.h"

namespace tessera::io {

namespace {

/// Escapes text so that it cannot end its element, or begin another.
std::string without_tags(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

}  // namespace

std::string html_page(std::string_view title, const std::vector<std::string_view>& styles,
                      const std::vector<PageData>& data,
                      const std::vector<std::string_view>& scripts) {
  std::size_t size = std::size_t{1} << 14U;
  for (const PageData& each : data) size += each.json.size();
  for (const std::string_view script : scripts) size += script.size();
  std::string page;
  page.reserve(size);
  page +=
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>";
  page += svg::escaped(title);
  page += "</title>\n<style>\n";
  for (const std::string_view style : styles) page += style;
  page += "</style>\n</head>\n<body>\n<header><h1>";
  page += svg::escaped(title);
  page +=
      "</h1><span class=\"grow\"></span><button id=\"theme\" title=\"light or dark\">light / "
      "dark</button></header>\n<main id=\"app\"></main>\n<noscript><main><p>This page needs "
      "JavaScript to draw its pictures and tables. The result is stored in the element `";
  page += data.front().id;
  page += "`.</p></main></noscript>\n";
  for (const PageData& each : data) {
    page += "<script type=\"application/json\" id=\"";
    page += each.id;
    page += "\">";
    page += without_tags(each.json);
    page += "</script>\n";
  }
  page += "<script>\n";
  for (const std::string_view script : scripts) page += script;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace tessera::io
