import CLibXML2
import Vocabulary

/// The `<link>` elements of a page and its first `<base href>`, by libxml2's HTML parser (HTML 4.2.3, 4.2.4).
///
/// Nothing inside comments, `script`, `style`, `template`, `textarea` and their like counts (``PageMarkup``). A page
/// with a tag of more attributes than `ReadingLimits` has no links. As in ``XMLParser``, parser and tree live within
/// one call.
struct HTMLLinks: Equatable, Sendable {
    private(set) var links: [FoundLink] = []
    /// As written, trimmed.
    private(set) var base: String?

    private static let hidden: Set<String> = ["script", "style", "template", "textarea"]
    private static let ready: Void = xmlInitParser()

    /// - Parameter text: UTF-8.
    init(_ text: [UInt8]) {
        _ = HTMLLinks.ready
        guard let text = PageMarkup.visible(text), let context = htmlNewParserCtxt() else { return }
        defer { htmlFreeParserCtxt(context) }
        let options =
            HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NOERROR.rawValue | HTML_PARSE_NOWARNING.rawValue
            | HTML_PARSE_NONET.rawValue
            | HTML_PARSE_NODEFDTD.rawValue
        let page = text.withUnsafeBytes { bytes in
            htmlCtxtReadMemory(
                context, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), nil, "UTF-8", Int32(options))
        }
        defer { xmlFreeDoc(page) }
        guard let page else { return }
        walk(xmlDocGetRootElement(page))
    }

    /// In document order and without recursion: pages may nest as deep as they like.
    private mutating func walk(_ root: xmlNodePtr?) {
        var next = root
        while let node = next {
            let name = HTMLLinks.string(node.pointee.name).lowercased()
            if node.pointee.type == XML_ELEMENT_NODE { visit(node, name) }
            let isOpen = node.pointee.type == XML_ELEMENT_NODE && !HTMLLinks.hidden.contains(name)
            next = isOpen ? node.pointee.children ?? HTMLLinks.following(node) : HTMLLinks.following(node)
        }
    }

    private static func following(_ node: xmlNodePtr) -> xmlNodePtr? {
        var at = node
        while true {
            if let next = at.pointee.next { return next }
            guard let parent = at.pointee.parent, parent.pointee.type == XML_ELEMENT_NODE else { return nil }
            at = parent
        }
    }

    private mutating func visit(_ node: xmlNodePtr, _ name: String) {
        guard name == "link" || name == "base", let href = HTMLLinks.attribute(node, "href") else { return }
        if name == "link" {
            links.append(
                FoundLink(
                    rel: HTMLLinks.attribute(node, "rel") ?? "", type: HTMLLinks.attribute(node, "type") ?? "",
                    href: href))
        } else if base == nil {
            base = String(href.trimmingBlanks)
        }
    }

    private static func attribute(_ node: xmlNodePtr, _ name: String) -> String? {
        guard let value = xmlGetProp(node, name) else { return nil }
        defer { xml_text_free(value) }
        return string(value)
    }

    private static func string(_ bytes: UnsafePointer<xmlChar>?) -> String { bytes.map { String(cString: $0) } ?? "" }
}
