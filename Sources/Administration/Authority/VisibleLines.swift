import Accounts
import Database

extension InstitutionFilter.Visible {
    /// Which lines `l` of the audit trail they see: those about their people, and about their things where no other
    /// person stands in them, since a service is not told who its people are.
    public var lines: SQL {
        """
        (l.account in (select a.id from account a where a.institution = any (\(institutions)))
            or l.account is null and l.node in (
                select 'account:' || a.id from account a where a.institution = any (\(institutions))
                union all
                select 'institution:' || i.id from institution i where i.id = any (\(institutions))
                union all
                select 'app:' || p.id from app p where p.institution = any (\(institutions))
                union all
                select 'version:' || v.id from app_version v join app p on p.id = v.app
                where p.institution = any (\(institutions))
                union all
                select 'instance:' || x.id from app_instance x join app p on p.id = x.app
                where p.institution = any (\(institutions))
                union all
                select 'client:' || c.id from client c where c.institution = any (\(institutions))
                union all
                select 'service:' || s.id from service s
                where s.institution = any (\(institutions)) or s.id = any (\(services))
                union all
                select 'client:' || s.client from service s where s.id = any (\(services))))
        """
    }
}
