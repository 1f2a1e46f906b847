import CLibXML2
import Vocabulary

/// An element with what RSD needs of it: names in lower case without prefix, comments and instructions gone, CDATA as
/// text.
struct XMLElement: Sendable {
    let name: String
    let namespace: String?
    /// By local name in lower case; attributes of a foreign namespace are left out.
    let attributes: [String: String]
    let children: [XMLElement]
    /// Its own text, without that of elements in it; trimmed, and within the limit.
    let text: String

    func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Depth first, itself included.
    func descendant(_ name: String) -> XMLElement? {
        if self.name == name { return self }
        for child in children { if let found = child.descendant(name) { return found } }
        return nil
    }
}

/// libxml2's XML parser, strict: no network, no DTD, no entities, no huge documents, nothing printed.
///
/// A parser and its tree live within one call on one thread, which is all that libxml2 asks for once it is initialised.
enum XMLParser {
    struct NotWellFormed: Error, Equatable {
        let detail: String
        let isTooDeep: Bool
    }

    enum Trouble: Error, Equatable {
        case notWellFormed(NotWellFormed)
        case refused(CrawlFailure)
    }

    private static let ready: Void = xmlInitParser()

    /// - Parameter text: UTF-8 without XML declaration.
    static func parse(_ text: [UInt8]) throws(Trouble) -> XMLElement {
        _ = ready
        guard let context = xmlNewParserCtxt() else { throw .refused(CrawlFailure(.limits, "no memory for a parser")) }
        defer { xmlFreeParserCtxt(context) }
        let options =
            XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
            | XML_PARSE_NOCDATA.rawValue | XML_PARSE_IGNORE_ENC.rawValue
        let document = text.withUnsafeBytes { bytes in
            xmlCtxtReadMemory(
                context, bytes.bindMemory(to: CChar.self).baseAddress, Int32(bytes.count), nil, "UTF-8", Int32(options))
        }
        defer { xmlFreeDoc(document) }
        guard let document, context.pointee.wellFormed != 0, let root = xmlDocGetRootElement(document) else {
            throw .notWellFormed(error(context))
        }
        guard document.pointee.intSubset == nil else {
            throw .refused(CrawlFailure(.doctype, "a document type declaration"))
        }
        do {
            var nodes = 0
            return try element(root, own: namespace(root), depth: 1, nodes: &nodes)
        } catch {
            throw .refused(error)
        }
    }

    private static func element(
        _ node: xmlNodePtr, own: String?, depth: Int, nodes: inout Int
    ) throws(CrawlFailure) -> XMLElement {
        guard depth <= ReadingLimits.depth else {
            throw ReadingLimits.exceeded("elements nested deeper than \(ReadingLimits.depth)")
        }
        var children: [XMLElement] = [], text = ""
        let hasElements = hasElement(node.pointee.children)
        var next = node.pointee.children
        while let child = next {
            next = child.pointee.next
            nodes += 1
            guard nodes <= ReadingLimits.nodes else {
                throw ReadingLimits.exceeded("more than \(ReadingLimits.nodes) nodes")
            }
            switch child.pointee.type {
            case XML_ELEMENT_NODE:
                let inner = try element(child, own: own, depth: depth + 1, nodes: &nodes)
                // A foreign namespace inside a namespaced document is somebody's extension.
                if own == nil || inner.namespace == nil || inner.namespace == own { children.append(inner) }
            case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
                let piece = string(child.pointee.content)
                // Indentation between elements is no text, however much there is.
                if !hasElements || !piece.utf8.allSatisfy(Markup.isBlank) { text += piece }
            default: break
            }
        }
        let trimmed = String(text.trimmingBlanks)
        guard trimmed.utf8.count <= ReadingLimits.stringBytes else {
            throw ReadingLimits.exceeded("text of more than \(ReadingLimits.stringBytes) bytes")
        }
        return XMLElement(
            name: Markup.local(string(node.pointee.name)), namespace: namespace(node),
            attributes: try attributes(node, own: own), children: children, text: trimmed)
    }

    private static func hasElement(_ first: xmlNodePtr?) -> Bool {
        var next = first
        while let node = next {
            if node.pointee.type == XML_ELEMENT_NODE { return true }
            next = node.pointee.next
        }
        return false
    }

    private static func attributes(_ node: xmlNodePtr, own: String?) throws(CrawlFailure) -> [String: String] {
        var found: [String: String] = [:]
        var next = node.pointee.properties
        while let attribute = next {
            next = attribute.pointee.next
            let foreign = attribute.pointee.ns != nil && own != nil && string(attribute.pointee.ns.pointee.href) != own
            guard let value = xmlNodeListGetString(node.pointee.doc, attribute.pointee.children, 1) else {
                if !foreign { found[Markup.local(string(attribute.pointee.name))] = "" }
                continue
            }
            defer { xml_text_free(value) }
            let text = string(value)
            guard text.utf8.count <= ReadingLimits.stringBytes else {
                throw ReadingLimits.exceeded("an attribute of more than \(ReadingLimits.stringBytes) bytes")
            }
            if !foreign { found[Markup.local(string(attribute.pointee.name))] = String(text.trimmingBlanks) }
        }
        return found
    }

    private static func namespace(_ node: xmlNodePtr) -> String? {
        guard let href = node.pointee.ns?.pointee.href else { return nil }
        let text = string(href)
        return text.isEmpty ? nil : text
    }

    private static func string(_ bytes: UnsafePointer<xmlChar>?) -> String { bytes.map { String(cString: $0) } ?? "" }

    private static func error(_ context: xmlParserCtxtPtr) -> NotWellFormed {
        guard let last = xmlCtxtGetLastError(context)?.pointee, let text = last.message else {
            return NotWellFormed(detail: "not well-formed XML", isTooDeep: false)
        }
        let message = String(String(cString: text).trimmingBlanks)
        return NotWellFormed(detail: "line \(last.line): \(message)", isTooDeep: message.contains("Excessive depth"))
    }
}
