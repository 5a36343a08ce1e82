// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IGuard {
    function check(address who) external view;
    function check() external view;
}

/// A token that treats whoever moves tokens by an allowance as it does everybody.
contract AllAlike {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) public allowance;
    address public named;
    IGuard internal guard;
    mapping(address => bool) public listed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error Insufficient(address spender, uint256 allowed);

    function setNamed(address account) external {
        named = account;
    }

    function setListed(address account, bool is_) external {
        listed[account] = is_;
    }

    function balanceOf(address account) public view virtual returns (uint256) {
        return held[account];
    }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        require(spender != address(0));
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        rule(from, to);
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            if (allowed < amount) revert Insufficient(msg.sender, allowed);
            require(msg.sender != address(0));
            allowance[from][msg.sender] = allowed - amount;
            emit Approval(from, msg.sender, allowed - amount);
        }
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) internal virtual returns (bool) {
        held[from] -= amount;
        held[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }

    function rule(address from, address to) internal virtual {}
}

/// Looks at everything that every router is not, and at the parties.
contract LooksElsewhere is AllAlike {
    function rule(address from, address to) internal view override {
        require(msg.sender != tx.origin && msg.sender != from && msg.sender != address(this));
        require(msg.sender != 0x000000000022D473030F116dDEE9F6B43aC78BA3);
        require(!listed[from] && to != named && tx.origin != named);
        guard.check();
    }
}

contract ByConstant is AllAlike {
    function rule(address, address to) internal view override {
        require(to != named || msg.sender == 0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D);
    }
}

contract ByVariable is AllAlike {
    function rule(address, address) internal view override {
        require(msg.sender != named);
    }
}

contract ByList is AllAlike {
    function rule(address, address) internal view override {
        require(!listed[msg.sender]);
    }
}

contract ByDigits is AllAlike {
    function rule(address, address) internal view override {
        require(uint160(msg.sender) & 0xff != 0x8d);
    }
}

contract ByOrder is AllAlike {
    function rule(address, address) internal view override {
        require(uint160(msg.sender) < 7 << 156);
    }
}

contract BySize is AllAlike {
    function rule(address, address) internal view override {
        require(msg.sender.code.length < 10_000);
    }
}

contract ByGuard is AllAlike {
    function rule(address, address) internal view override {
        guard.check(msg.sender);
    }
}

contract ByDelegate is AllAlike {
    function rule(address, address) internal override {
        (bool ok,) = address(guard).delegatecall(abi.encodeWithSignature("check()"));
        require(ok);
    }
}

contract ByTax is AllAlike {
    function move(address from, address to, uint256 amount) internal override returns (bool) {
        uint256 tax = msg.sender == named ? 0 : amount / 2;
        held[from] -= amount;
        held[to] += amount - tax;
        return true;
    }
}

contract ByApproval is AllAlike {
    function approve(address spender, uint256 amount) external override returns (bool) {
        require(spender == named);
        allowance[msg.sender][spender] = amount;
        return true;
    }
}

contract ByBalance is AllAlike {
    function balanceOf(address account) public view override returns (uint256) {
        return msg.sender == named ? 0 : held[account];
    }
}
