/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Access control information in entries: normal forms as slapadd 2.5.13 stores them.
 */
#include "base/error.h"
#include "sample_context.h"
#include "values/value.h"

static const struct {
	const char *in;
	const char *out; /* NULL: refused */
} cases[] = {
	{"1.2#entry#grant;r;[all]#public#", "1.2#entry#grant;r;[all]#public#"},
	{" 1.2 # ENTRY #GRANT ; r;[ALL] # PUBLIC#x#y", "1.2#entry#grant;r;[all]#public#"},
	{"1#children#deny;;cn#users#", "1#children#deny;;cn#users#"},
	{"1.2#Subtree#grant;w,r , x;CN , 2.5.4.3#self#",
         "1.2#subtree#grant;w,r , x;cn,cn#self#"},
	/* rights */
	{"1.2#entry#grant;r,w,s,c,x,d;cn#self#", "1.2#entry#grant;r,w,s,c,x,d;cn#self#"},
	{"1.2#entry#grant;r,;cn#self#", "1.2#entry#grant;r,;cn#self#"},
	{"1.2#entry#grant; ;cn#self#", "1.2#entry#grant;;cn#self#"},
	{"1.2#entry#grant;r;cn; w ; sn #self#", "1.2#entry#grant;r;cn;w;sn#self#"},
	{"1.2#entry#grant;r;[all] $ deny;w;CN#self#",
         "1.2#entry#grant;r;[all]$deny;w;cn#self#"},
	{"1.2#entry#grant;r;[Entry],[children],entry#self#",
         "1.2#entry#grant;r;entry,children,entry#self#"},
	{"1.2#entry#grant;r;cn,[all]#self#", "1.2#entry#grant;r;[all]#self#"},
	{"1.2#entry#grant;r;cn=a=b,sn =c#self#", "1.2#entry#grant;r;cn,sn#self#"},
	{"1.2#entry#grant;,r;cn#self#", NULL},
	{"1.2#entry#grant;r,,w;cn#self#", NULL},
	{"1.2#entry#grant;R;cn#self#", NULL},
	{"1.2#entry#grant;rw;cn#self#", NULL},
	{"1.2#entry#grant;z;cn#self#", NULL},
	{"1.2#entry#grant;r;#self#", NULL},
	{"1.2#entry#grant;r#self#", NULL},
	{"1.2#entry#grant#self#", NULL},
	{"1.2#entry##self#", NULL},
	{"1.2#entry#grant;r;cn;w#self#", NULL},
	{"1.2#entry#grant;r;cn;#self#", NULL},
	{"1.2#entry#grant;r;cn$#self#", NULL},
	{"1.2#entry#grant;r;cn$$deny;w;cn#self#", NULL},
	{"1.2#entry#grant;r;foo#self#", NULL},
	{"1.2#entry#grant;r;cn,#self#", NULL},
	{"1.2#entry#grant;r;[cn]#self#", NULL},
	{"1.2#entry#grant;r;[entry]=x#self#", NULL},
	{"1.2#entry#take;r;cn#self#", NULL},
	/* subjects */
	{"1.2#entry#grant;r;cn#Access-ID#CN=A, DC=X",
         "1.2#entry#grant;r;cn#access-id#cn=a,dc=x"},
	{"1.2#entry#grant;r;cn#access-id#", "1.2#entry#grant;r;cn#access-id#"},
	{"1.2#entry#grant;r;cn#subtree#CN=A#B", "1.2#entry#grant;r;cn#subtree#cn=a#b"},
	{"1.2#entry#grant;r;cn#onelevel#CN=A", "1.2#entry#grant;r;cn#onelevel#cn=a"},
	{"1.2#entry#grant;r;cn#children#CN=A", "1.2#entry#grant;r;cn#children#cn=a"},
	{"1.2#entry#grant;r;cn#GROUP#CN=A", "1.2#entry#grant;r;cn#group#cn=a"},
	{"1.2#entry#grant;r;cn#group /PERSON#CN=A",
         "1.2#entry#grant;r;cn#group/person#cn=a"},
	{"1.2#entry#grant;r;cn#role/2.5.6.6/MEMBER#CN=A",
         "1.2#entry#grant;r;cn#role/person/member#cn=a"},
	{"1.2#entry#grant;r;cn#dnattr#MEMBER;lang-EN",
         "1.2#entry#grant;r;cn#dnattr#member;lang-en"},
	{"1.2#entry#grant;r;cn#set# This/ x ", "1.2#entry#grant;r;cn#set# This/ x "},
	{"1.2#entry#grant;r;cn#SET-ref#x#y", "1.2#entry#grant;r;cn#set-ref#x#y"},
	{"1.2#entry#grant;r;cn#group/foo#CN=A", ""},
	{"1.2#entry#grant;r;cn#group/#CN=A", ""},
	{"1.2#entry#grant;r;cn#group/ person#CN=A", ""},
	{"1.2#entry#grant;r;cn#group/person/foo#CN=A", ""},
	{"1.2#entry#grant;r;cn#group/person/#CN=A", ""},
	{"1.2#entry#grant;r;cn#group/person/cn/x#CN=A", ""},
	{"1.2#entry#grant;r;cn#dnattr#cn", ""},
	{"1.2#entry#grant;r;cn#dnattr#foo", ""},
	{"1.2#entry#grant;r;cn#dnattr#", ""},
	{"1.2#entry#grant;r;cn#group/foo#zz", NULL},
	{"1.2#entry#grant;r;cn#access-id#zz", NULL},
	{"1.2#entry#grant;r;cn#groupx#CN=A", NULL},
	{"1.2#entry#grant;r;cn#component#x", NULL},
	{"1.2#entry#grant;r;cn#public/x#", NULL},
	/* the other parts */
	{"1.2#entry#grant;r;cn#public #", NULL},
	{"1.2#entry#grant;r;cn#public", NULL},
	{"1.2#entry#grant;r;cn##", NULL},
	{"1.2#tree#grant;r;cn#public#", NULL},
	{"1.2##grant;r;cn#public#", NULL},
	{"01.2#entry#grant;r;cn#public#", NULL},
	{"x#entry#grant;r;cn#public#", NULL},
	{"#entry#grant;r;cn#public#", NULL},
	{"x", NULL},
	{"", NULL},
};

TEST(access_is_normalised_as_by_slapd)
{
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span out = {0};
		int r = dit_value_normalize(context->schema, DIT_NORM_ACI,
		                            dit_span_of(cases[i].in), &context->arena,
		                            &out);

		if (r != (cases[i].out == NULL ? DIT_E_INVALID : 0)) {
			fail_msg("case %zu: %d", i, r);
		}
		assert_int_equal(dit_value_validate(context->schema, DIT_VALID_ACI,
		                                    dit_span_of(cases[i].in)),
		                 r);
		if (r == 0) {
			assert_span_equal(out, cases[i].out);
		}
	}
}

/* slapd stores it when a change brings the value. */
TEST(the_pretty_form_keeps_the_case_of_names)
{
	struct context *context = *state;
	struct dit_span text =
		DIT_SPAN("1.2#Entry#grant;r;CN#Group/Person#CN=A  B, DC=X");
	struct dit_span out = {0};

	assert_int_equal(dit_value_pretty(context->schema, DIT_VALID_ACI, text,
	                                  &context->arena, &out),
	                 0);
	assert_span_equal(out, "1.2#entry#grant;r;cn#group/person#cn=A  B,dc=X");
}

/* slapd has uninitialised bytes after it. */
TEST(a_nul_is_a_byte_like_any_other)
{
	struct context *context = *state;
	const struct dit_span text = {"1.2#entry#grant;r;cn#set#a\0b", 28};
	struct dit_span out = {0};

	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_ACI, text,
	                                     &context->arena, &out),
	                 0);
	assert_int_equal(out.len, text.len);
	assert_memory_equal(out.data, text.data, text.len);
}

TEST(access_values_name_no_entry)
{
	struct context *context = *state;
	struct dit_span text = DIT_SPAN("OpenLDAPaci=1.2#entry#grant\\;r\\;cn#self#");
	struct dit_span out = {0};

	assert_int_equal(dit_value_normalize(context->schema, DIT_NORM_DN, text,
	                                     &context->arena, &out),
	                 DIT_E_INVALID);
	assert_int_equal(dit_value_pretty(context->schema, DIT_VALID_DN, text,
	                                  &context->arena, &out),
	                 DIT_E_INVALID);
}

MAIN_WITH(setup, NULL)
